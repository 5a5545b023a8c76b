// A replacement for a failure that is of another type than the elements.

import Combine

func names(_ names: PassthroughSubject<String, any Error>) -> AnyPublisher<String, Never> {
  names.replaceError(with: 0).eraseToAnyPublisher()
}

// says 6:28: error: cannot convert value of type 'Int' to expected argument type 'String'
