import CombineCore

/// How an assignment holds the object that it writes to.
public enum ObjectOwnership: Hashable, Sendable {

  /// The object stays alive until the publisher completes or the assignment is cancelled.
  case strong

  /// The object is not kept alive. When it is gone, the next element cancels the upstream.
  case weak

  /// The object is not kept alive. An element after its end ends the process.
  case unowned
}

extension Publisher where Failure == Never {

  /// Writes each element to a property of an object.
  ///
  /// With `.weak` an object can store the returned cancellable without keeping itself alive.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let label = Label()
  /// let cancellable = Just("hello").assign(to: \.text, on: label, ownership: .weak)
  /// print(label.text)  // prints hello
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - object: The object.
  ///   - ownership: How the object is held. The default is `.strong`.
  /// - Returns: A cancellable. Cancelling or releasing it stops the assignment.
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>,
    on object: Root,
    ownership: ObjectOwnership = .strong
  ) -> AnyCancellable {
    switch ownership {
    case .strong: assign(to: keyPath, on: object)
    case .weak: prefix { [weak object] _ in object != nil }.sink { [weak object] in object?[keyPath: keyPath] = $0 }
    case .unowned: sink { [unowned object] in object[keyPath: keyPath] = $0 }
    }
  }
}
