import Combine
import CombineExtras
import Foundation

/// View models as the guide *Swift 6 and default isolation* writes them. Each calls its closure when it has a name.
final class Models: ObservableObject {

  @Published private(set) var name = ""
  private var cancellables: Set<AnyCancellable> = []

  /// The closures of a `nonisolated` function belong to no actor.
  nonisolated private static func name() -> AnyPublisher<String, any Error> {
    request()
      .tryMap { data in
        guard !data.isEmpty else { throw URLError(.zeroByteResource) }
        return data
      }
      .decode(type: User.self, decoder: JSONDecoder())
      .map { user in user.name }
      .eraseToAnyPublisher()
  }

  /// The pipeline is made by a function that belongs to no actor, and `receive(on:)` stands in front of the closures that do.
  func receivesFirst(_ done: @escaping () -> Void) {
    Self.name()
      .replaceError(with: "nobody")
      .receive(on: DispatchQueue.main)
      .handleEvents(receiveOutput: { [weak self] in self?.name = $0 })
      .sink { _ in done() }
      .store(in: &cancellables)
  }

  /// The closure says that it may run anywhere.
  func marksClosures(_ done: @escaping () -> Void) {
    request()
      .tryMap { @Sendable data in try JSONDecoder().decode(User.self, from: data) }
      .map { @Sendable user in user.name }
      .replaceError(with: "nobody")
      .receive(on: DispatchQueue.main)
      .sink { [weak self] name in
        self?.name = name
        done()
      }
      .store(in: &cancellables)
  }

  /// The closure's type says that it belongs to the main actor.
  func sinksOnTheActor(_ done: @escaping () -> Void) {
    Self.name()
      .replaceError(with: "nobody")
      .sink(on: MainActor.shared) { [weak self] name in
        self?.name = name
        done()
      }
      .store(in: &cancellables)
  }

  /// The body of the loop belongs to the main actor, as the task does.
  func loops(_ done: @escaping () -> Void) {
    Task {
      for await name in Self.name().replaceError(with: "nobody").values {
        self.name = name
      }
      done()
    }
  }

  /// A property follows. There is no closure that could belong to an actor.
  func assigns(_ done: @escaping () -> Void) {
    $name.dropFirst().first().sink { _ in done() }.store(in: &cancellables)
    Self.name().replaceError(with: "nobody").receive(on: DispatchQueue.main).assign(to: &$name)
  }

  /// Everything happens on the main queue, so ordinary closures are right.
  func searches(_ done: @escaping () -> Void) {
    let text = CurrentValueSubject<String, Never>("A")
    text
      .debounce(for: .milliseconds(10), scheduler: DispatchQueue.main)
      .map { text in text + "da" }
      .sink { [weak self] name in
        self?.name = name
        done()
      }
      .store(in: &cancellables)
    text.send("A")
  }
}
