// An inner publisher with another failure than the upstream.

import Combine

struct Refused: Error {}

func pages(_ numbers: AnyPublisher<Int, any Error>) -> AnyCancellable {
  numbers
    .flatMap { number in Fail<String, Refused>(error: Refused()) }
    .sink(receiveCompletion: { _ in }, receiveValue: { print($0) })
}

// says 9:6: error: 'flatMap(maxPublishers:_:)' is unavailable: the closure's publisher fails with another type; convert one of the two with setFailureType(to:) or mapError(_:)
