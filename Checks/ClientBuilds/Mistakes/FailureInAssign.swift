// An assignment of a publisher that can fail.

import Combine

final class Label {
  var text = ""
}

func show(_ texts: AnyPublisher<String, any Error>, in label: Label) -> AnyCancellable {
  texts.assign(to: \.text, on: label)
}

// says 10:9: error: 'assign(to:on:)' is unavailable: a publisher that can fail cannot be assigned; handle the failure first, as with replaceError(with:) or catch(_:)
