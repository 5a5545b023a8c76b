// An element that is sent to a publisher, which is no subject.

import Combine

func send(to texts: AnyPublisher<String, Never>) {
  texts.send("a")
}

// says 6:9: error: value of type 'AnyPublisher<String, Never>' has no member 'send'
