// A scheduler whose type is left out.

import Combine
import Dispatch

func show(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.receive(on: .main).sink { print($0) }
}

// says 7:22: error: type 'Scheduler' has no member 'main'
