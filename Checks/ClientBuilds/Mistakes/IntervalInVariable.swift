// A number of seconds in a variable, where only a literal becomes an interval.

import Combine
import Dispatch

func inTime(_ texts: PassthroughSubject<String, Never>, seconds: Double) -> AnyCancellable {
  texts.timeout(seconds, scheduler: DispatchQueue.main).sink { print($0) }
}

// says 7:9: error: 'timeout(_:scheduler:options:customError:)' is unavailable: the interval must be in the scheduler's time, as in .seconds(1) or .milliseconds(250)
