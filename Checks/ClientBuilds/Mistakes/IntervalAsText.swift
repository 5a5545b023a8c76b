// A text where the interval stands.

import Combine
import Dispatch

func late(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.delay(for: "1s", scheduler: DispatchQueue.main).sink { print($0) }
}

// says 7:9: error: 'delay(for:tolerance:scheduler:options:)' is unavailable: the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)
