// A set of cancellables that cannot change.

import Combine

final class Screen {
  let cancellables = Set<AnyCancellable>()

  func show(_ texts: PassthroughSubject<String, Never>) {
    texts.sink { print($0) }.store(in: &cancellables)
  }
}

// says 9:40: error: cannot pass immutable value as inout argument: 'cancellables' is a 'let' constant
