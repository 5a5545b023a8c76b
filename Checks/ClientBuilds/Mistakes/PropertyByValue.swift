// A published property without `&`.

import Combine

final class Model: ObservableObject {
  @Published var text = ""
}

func show(_ texts: PassthroughSubject<String, Never>, in model: Model) {
  texts.assign(to: model.$text)
}

// says 10:26: error: passing value of type 'Published<String>.Publisher' to an inout parameter requires explicit '&'
