// A sink without a closure for the completion, of a publisher that can fail.

import Combine

func show(_ texts: AnyPublisher<String, any Error>) -> AnyCancellable {
  texts.sink { print($0) }
}

// says 6:9: error: 'sink(receiveValue:)' is unavailable: a publisher that can fail needs sink(receiveCompletion:receiveValue:)
