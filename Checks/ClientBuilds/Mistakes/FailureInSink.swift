// A sink without a closure for the completion, of a publisher that can fail.

import Combine

func show(_ texts: AnyPublisher<String, any Error>) -> AnyCancellable {
  texts.sink { print($0) }
}

// says 6:9: error: referencing instance method 'sink(receiveValue:)' on 'Publisher' requires the types 'any Error' and 'Never' be equivalent
