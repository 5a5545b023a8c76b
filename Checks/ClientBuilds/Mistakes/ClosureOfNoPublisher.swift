// A flatMap whose closure returns a value.

import Combine

func lengths(_ names: PassthroughSubject<String, Never>) -> AnyCancellable {
  names.flatMap { name in name.count }.sink { print($0) }
}

// says 6:9: error: no exact matches in call to instance method 'flatMap'
