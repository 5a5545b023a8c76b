// A publisher that never fails, where one that can fail is returned.

import Combine

func user() -> AnyPublisher<String, any Error> {
  Just("Ada").eraseToAnyPublisher()
}

// says 6:15: error: cannot convert return expression of type 'AnyPublisher<String, Never>' to return type 'AnyPublisher<String, any Error>'
