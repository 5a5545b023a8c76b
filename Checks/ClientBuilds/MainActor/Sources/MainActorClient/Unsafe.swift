import Combine
import Foundation

/// What compiles without a warning and ends the process. The step runs each, and looks for the line that is named.
enum Unsafe {

  /// A closure in a static function, which belongs to the main actor as its type does.
  static func map() -> AnyPublisher<String, any Error> {
    request()
      .tryMap { data in String(decoding: data, as: UTF8.self) }  // map
      .eraseToAnyPublisher()
  }

  /// A sink that nothing brings to the main queue.
  static func sink() -> AnyCancellable {
    request().replaceError(with: Data())
      .sink { print($0) }  // sink
  }
}
