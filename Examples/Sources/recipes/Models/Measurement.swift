import Combine

/// The pipeline that recipes 19 to 21 test: the length of each name, or a failure for an empty name.
struct Measurement {

  enum Failure: Error, Equatable {
    case emptyName
  }

  func lengths(of names: some Publisher<String, Failure>) -> AnyPublisher<Int, Failure> {
    names
      .tryMap { name in
        if name.isEmpty { throw Failure.emptyName }
        return name.count
      }
      .mapError { $0 as! Failure }
      .eraseToAnyPublisher()
  }
}
