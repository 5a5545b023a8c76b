// Two publishers with different failures.

import Combine

func both(_ names: PassthroughSubject<String, Never>, _ ages: PassthroughSubject<Int, any Error>) -> AnyCancellable {
  names.combineLatest(ages).sink(receiveCompletion: { _ in }, receiveValue: { print($0) })
}

// says 6:9: error: instance method 'combineLatest' requires the types 'Never' and 'any Error' be equivalent
