// A property of another type than the elements.

import Combine

final class Label {
  var text = ""
}

func show(_ numbers: PassthroughSubject<Int, Never>, in label: Label) -> AnyCancellable {
  numbers.assign(to: \.text, on: label)
}

// says 10:22: error: cannot convert value of type 'ReferenceWritableKeyPath<Label, String>' to expected argument type 'ReferenceWritableKeyPath<Label, Int>'
