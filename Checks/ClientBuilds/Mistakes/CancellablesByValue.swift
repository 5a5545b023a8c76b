// A set of cancellables without `&`.

import Combine

final class Screen {
  var cancellables = Set<AnyCancellable>()

  func show(_ texts: PassthroughSubject<String, Never>) {
    texts.sink { print($0) }.store(in: cancellables)
  }
}

// says 9:40: error: passing value of type 'Set<AnyCancellable>' to an inout parameter requires explicit '&'
