// A part of a millisecond.

import Combine
import Dispatch

func search(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.debounce(for: .milliseconds(0.3), scheduler: DispatchQueue.main).sink { print($0) }
}

// says 7:24: error: 'milliseconds' is unavailable: the number must be whole; for a fraction use seconds, as in .seconds(0.25)
