// A unit that does not exist.

import Combine
import Dispatch

func search(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.debounce(for: .second(1), scheduler: DispatchQueue.main).sink { print($0) }
}

// says 7:9: error: instance method 'debounce(for:scheduler:options:)' requires that 'DispatchObject' conform to 'Scheduler'
