// A text where the interval stands.

import Combine
import Dispatch

func late(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.delay(for: "1s", scheduler: DispatchQueue.main).sink { print($0) }
}

// says 7:9: error: instance method 'delay(for:tolerance:scheduler:options:)' requires that 'DispatchObject' conform to 'Scheduler'
