// A closure of two statements that returns nothing.

import Combine

func lengths(_ names: PassthroughSubject<String, Never>) -> AnyPublisher<Int, Never> {
  names
    .map { name in
      let length = name.count
      length + 1
    }
    .eraseToAnyPublisher()
}

// says 9:7: error: missing return in closure expected to return 'Int'
