import Combine
import CombineExtras
import Foundation

// Everything in this module belongs to the main actor unless it says otherwise: its manifest has
// `.defaultIsolation(MainActor.self)`. Recipe 43 runs it.

/// A user that the server describes. A thread of the session decodes it, so it belongs to no actor.
nonisolated public struct UserDescription: Decodable, Sendable {
  public let name: String
}

/// Returns a publisher of a user. The closures of a `nonisolated` function belong to no actor, and run on the session's threads.
///
/// Without the word `nonisolated`, the function compiles, and the first answer ends the process.
nonisolated func user(at url: URL) -> AnyPublisher<UserDescription, any Error> {
  URLSession.shared.dataTaskPublisher(for: url)
    .tryMap { data, response in
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
      return data
    }
    .decode(type: UserDescription.self, decoder: JSONDecoder())
    .eraseToAnyPublisher()
}

/// The model of a screen that shows a user.
public final class UserModel: ObservableObject {

  @Published public private(set) var name = ""
  @Published public private(set) var status = ""

  private var cancellables: Set<AnyCancellable> = []

  public init() {}

  /// Loads a user. The closure's type says that it belongs to the main actor.
  public func load(_ url: URL) {
    status = "loading"
    user(at: url)
      .sink(on: MainActor.shared) { [weak self] completion in
        if case .failure = completion { self?.status = "failed" } else { self?.status = "loaded" }
      } receiveValue: { [weak self] user in
        self?.name = user.name
      }
      .store(in: &cancellables)
  }

  /// Loads a user, with Combine's own operators. `receive(on:)` stands in front of the closures that use the model.
  public func loadWithCombine(_ url: URL) {
    status = "loading"
    user(at: url)
      .receive(on: DispatchQueue.main)
      .sink { [weak self] completion in
        if case .failure = completion { self?.status = "failed" } else { self?.status = "loaded" }
      } receiveValue: { [weak self] user in
        self?.name = user.name
      }
      .store(in: &cancellables)
  }
}
