// An assignment of a publisher that can fail.

import Combine

final class Label {
  var text = ""
}

func show(_ texts: AnyPublisher<String, any Error>, in label: Label) -> AnyCancellable {
  texts.assign(to: \.text, on: label)
}

// says 10:9: error: referencing instance method 'assign(to:on:)' on 'Publisher' requires the types 'any Error' and 'Never' be equivalent
