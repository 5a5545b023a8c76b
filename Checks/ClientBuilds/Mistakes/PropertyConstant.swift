// A property that cannot change.

import Combine

final class Label {
  let text = ""
}

func show(_ texts: PassthroughSubject<String, Never>, in label: Label) -> AnyCancellable {
  texts.assign(to: \.text, on: label)
}

// says 10:20: error: cannot convert value of type 'any KeyPath<Label, String> & Sendable' to expected argument type 'ReferenceWritableKeyPath<Label, String>'
