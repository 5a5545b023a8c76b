import Combine
import Foundation

/// What the answers are decoded to. `nonisolated`, because a thread of the source decodes it. Without that word, the compiler
/// refuses to decode it in a function that belongs to no actor.
nonisolated struct User: Decodable {
  let name: String
}

/// Stands in for `URLSession.shared.dataTaskPublisher(for:)`: it answers on a thread of its own.
nonisolated func request() -> some Publisher<Data, URLError> {
  Future { promise in
    DispatchQueue(label: "session").async { promise(.success(Data(#"{"name": "Ada"}"#.utf8))) }
  }
}
