// switchToLatest of elements that are no publishers.

import Combine

func latest(_ names: PassthroughSubject<String, Never>) -> AnyCancellable {
  names.switchToLatest().sink { print($0) }
}

// says 6:9: error: no exact matches in call to instance method 'switchToLatest'
