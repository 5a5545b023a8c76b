// A part of a millisecond.

import Combine
import Dispatch

func search(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.debounce(for: .milliseconds(0.3), scheduler: DispatchQueue.main).sink { print($0) }
}

// says 7:9: error: instance method 'debounce(for:scheduler:options:)' requires that 'DispatchObject' conform to 'Scheduler'
