import CombineTesting

extension MarbleContext<String> {

  /// A publisher of a published property: it has a value at the subscription, and then the values that an input sends.
  func property(startingWith first: String, setByInput index: Int) -> some Publisher<String, Never> {
    let model = Model(first)
    let input = self[index].assertNoFailure()
    return Deferred {
      input.assign(to: &model.$value)
      return model.$value
    }
  }
}

// Not nested in the extension: in a debug build Swift 6.2 fails an assertion for the initializer of a property with a
// wrapper in a type that is nested in a constrained extension.
private final class Model {
  @Published var value: String
  init(_ value: String) { self.value = value }
}
