import Combine
import Foundation

/// What the answers are decoded to. `nonisolated`, because a thread of the source decodes it. Without that word, the compiler
/// refuses to decode it in a function that belongs to no actor.
nonisolated struct User: Decodable {
  let name: String
}

/// Stands in for `URLSession.shared.dataTaskPublisher(for:)`: it answers later, on a thread of its own. A `Future` could answer
/// before it is subscribed to, and then sends on the subscriber's thread.
nonisolated func request() -> some Publisher<Data, URLError> {
  Just(Data(#"{"name": "Ada"}"#.utf8))
    .setFailureType(to: URLError.self)
    .delay(for: .milliseconds(5), scheduler: DispatchQueue(label: "session"))
}
