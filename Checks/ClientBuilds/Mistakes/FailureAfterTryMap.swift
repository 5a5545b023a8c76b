// An assignment after an operator that can throw.

import Combine

final class Model: ObservableObject {
  @Published var number = 0
}

func parse(_ texts: PassthroughSubject<String, Never>, into model: Model) {
  texts
    .tryMap { text in try parsed(text) }
    .assign(to: &model.$number)
}

func parsed(_ text: String) throws -> Int { text.count }

// says 12:6: error: 'assign(to:)' is unavailable: a publisher that can fail cannot be assigned; handle the failure first, as with replaceError(with:) or catch(_:)
