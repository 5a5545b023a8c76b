// A cancellable that nobody keeps.

import Combine

func show(_ texts: PassthroughSubject<String, Never>) {
  texts.sink { print($0) }
}

// says 6:9: warning: result of call to 'sink(receiveValue:)' is unused
