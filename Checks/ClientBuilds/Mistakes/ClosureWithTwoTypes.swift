// A flatMap whose closure returns publishers of two types.

import Combine

func answers(_ numbers: PassthroughSubject<Int, Never>) -> AnyCancellable {
  numbers
    .flatMap { number in
      if number > 0 { return Just(number) }
      return Empty<Int, Never>()
    }
    .sink { print($0) }
}

// says 9:14: error: cannot convert value of type 'Empty<Int, Never>' to closure result type 'Just<Int>'
