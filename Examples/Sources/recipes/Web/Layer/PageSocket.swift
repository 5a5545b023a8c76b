import FlyingFox
import Foundation

/// A handler that opens a ``Page`` for each tab that connects, and closes it when the tab disconnects.
struct PageSocket: WSMessageHandler {

  let definition: WebApp.Definition

  let journal: Journal

  func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
    let (messages, toClient) = AsyncStream.makeStream(of: WSMessage.self)
    let send: @Sendable (PageMessage) -> Void = { message in
      guard let json = try? JSONEncoder().encode(message) else { return }
      toClient.yield(.text(String(decoding: json, as: UTF8.self)))
    }
    Task { @MainActor in
      journal.begin("tabs")
      let stages = Stages { [journal] event in
        switch event.kind {
        case .subscribed: journal.begin("subscriptions")
        case .value: break
        case .finished, .failed, .cancelled: journal.end("subscriptions")
        }
        send(.stage(event))
      }
      let page = Page(stages: stages, send: send)
      definition.open(page)
      for await message in client {
        guard case .text(let text) = message,
          let event = try? JSONDecoder().decode(PageEvent.self, from: Data(text.utf8))
        else { continue }
        page.receive(event)
      }
      page.close()
      toClient.finish()
      journal.end("tabs")
    }
    return messages
  }
}
