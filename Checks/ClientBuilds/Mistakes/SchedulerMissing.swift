// A type where the scheduler stands.

import Combine
import Dispatch

func show(_ texts: PassthroughSubject<String, Never>) -> AnyCancellable {
  texts.receive(on: DispatchQueue.self).sink { print($0) }
}

// says 7:9: error: type 'DispatchQueue.Type' cannot conform to 'Scheduler'
