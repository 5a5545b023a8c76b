// An interval of the standard library where the one of the scheduler stands.

import Combine
import Dispatch

func seldom(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.throttle(for: Duration.seconds(1), scheduler: DispatchQueue.main, latest: true).sink { print($0) }
}

// says 7:9: error: 'throttle(for:scheduler:latest:)' is unavailable: the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)
