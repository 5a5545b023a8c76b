// An erased publisher with other elements than the function returns.

import Combine

func lengths(_ names: PassthroughSubject<String, Never>) -> AnyPublisher<String, Never> {
  names.map { name in name.count }.eraseToAnyPublisher()
}

// says 6:28: error: cannot convert value of type 'Int' to closure result type 'String'
