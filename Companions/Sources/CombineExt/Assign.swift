import CombineExtras

extension Publisher where Failure == Never {

  /// Writes each element to properties of two objects.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let (title, subtitle) = (Label(), Label())
  /// let cancellable = Just("hello").assign(to: \.text, on: title, and: \.text, on: subtitle, ownership: .weak)
  /// print(title.text, subtitle.text)  // prints hello hello
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath1: The key path of the first property.
  ///   - object1: The first object.
  ///   - keyPath2: The key path of the second property.
  ///   - object2: The second object.
  ///   - ownership: How the objects are held. The default is `.strong`.
  /// - Returns: A cancellable. Cancelling or releasing it stops the assignment.
  public func assign<Root1: AnyObject, Root2: AnyObject>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>,
    on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>,
    on object2: Root2,
    ownership: ObjectOwnership = .strong
  ) -> AnyCancellable {
    assign(to: [AssignmentTarget(keyPath1, object1, ownership), AssignmentTarget(keyPath2, object2, ownership)])
  }

  /// Writes each element to properties of three objects.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let labels = [Label(), Label(), Label()]
  /// let cancellable = Just("hello").assign(
  ///   to: \.text, on: labels[0], and: \.text, on: labels[1], and: \.text, on: labels[2], ownership: .weak)
  /// print(labels.map(\.text))  // prints ["hello", "hello", "hello"]
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath1: The key path of the first property.
  ///   - object1: The first object.
  ///   - keyPath2: The key path of the second property.
  ///   - object2: The second object.
  ///   - keyPath3: The key path of the third property.
  ///   - object3: The third object.
  ///   - ownership: How the objects are held. The default is `.strong`.
  /// - Returns: A cancellable. Cancelling or releasing it stops the assignment.
  public func assign<Root1: AnyObject, Root2: AnyObject, Root3: AnyObject>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>,
    on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>,
    on object2: Root2,
    and keyPath3: ReferenceWritableKeyPath<Root3, Output>,
    on object3: Root3,
    ownership: ObjectOwnership = .strong
  ) -> AnyCancellable {
    assign(to: [
      AssignmentTarget(keyPath1, object1, ownership),
      AssignmentTarget(keyPath2, object2, ownership),
      AssignmentTarget(keyPath3, object3, ownership),
    ])
  }

  /// Writes each element to two properties, whose owners are kept alive.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let (title, subtitle) = (Label(), Label())
  /// let cancellable = Just("hello").assign(to: \.text, on: title, and: \.text, on: subtitle)
  /// print(title.text, subtitle.text)  // prints hello hello
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath1: The key path of the first property.
  ///   - object1: The owner of the first property.
  ///   - keyPath2: The key path of the second property.
  ///   - object2: The owner of the second property.
  /// - Returns: A cancellable. Cancelling or releasing it stops the assignment.
  public func assign<Root1, Root2>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>,
    on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>,
    on object2: Root2
  ) -> AnyCancellable {
    assign(to: [AssignmentTarget(keyPath1, holding: object1), AssignmentTarget(keyPath2, holding: object2)])
  }

  /// Writes each element to three properties, whose owners are kept alive.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let labels = [Label(), Label(), Label()]
  /// let cancellable = Just("hello").assign(
  ///   to: \.text, on: labels[0], and: \.text, on: labels[1], and: \.text, on: labels[2])
  /// print(labels.map(\.text))  // prints ["hello", "hello", "hello"]
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath1: The key path of the first property.
  ///   - object1: The owner of the first property.
  ///   - keyPath2: The key path of the second property.
  ///   - object2: The owner of the second property.
  ///   - keyPath3: The key path of the third property.
  ///   - object3: The owner of the third property.
  /// - Returns: A cancellable. Cancelling or releasing it stops the assignment.
  public func assign<Root1, Root2, Root3>(
    to keyPath1: ReferenceWritableKeyPath<Root1, Output>,
    on object1: Root1,
    and keyPath2: ReferenceWritableKeyPath<Root2, Output>,
    on object2: Root2,
    and keyPath3: ReferenceWritableKeyPath<Root3, Output>,
    on object3: Root3
  ) -> AnyCancellable {
    assign(to: [
      AssignmentTarget(keyPath1, holding: object1),
      AssignmentTarget(keyPath2, holding: object2),
      AssignmentTarget(keyPath3, holding: object3),
    ])
  }

  private func assign(to targets: [AssignmentTarget<Output>]) -> AnyCancellable {
    prefix { _ in targets.contains { $0.isAlive() } }
      .sink { value in for target in targets { target.write(value) } }
  }
}

/// A property to write to, with the type of its object erased.
private struct AssignmentTarget<Value> {

  let isAlive: () -> Bool
  let write: (Value) -> Void

  init<Root: AnyObject>(
    _ keyPath: ReferenceWritableKeyPath<Root, Value>,
    _ object: Root,
    _ ownership: ObjectOwnership
  ) {
    switch ownership {
    case .strong: self.init(keyPath, holding: object)
    case .weak:
      self.init(isAlive: { [weak object] in object != nil }) { [weak object] in object?[keyPath: keyPath] = $0 }
    case .unowned: self.init { [unowned object] in object[keyPath: keyPath] = $0 }
    }
  }

  init<Root>(_ keyPath: ReferenceWritableKeyPath<Root, Value>, holding object: Root) {
    self.init { object[keyPath: keyPath] = $0 }
  }

  private init(isAlive: @escaping () -> Bool = { true }, write: @escaping (Value) -> Void) {
    self.isAlive = isAlive
    self.write = write
  }
}
