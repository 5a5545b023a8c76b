/// A protocol for work that can be stopped.
///
/// ``cancel()`` stops the work, such as a timer, a request or the delivery of values. It also releases the resources
/// that the work holds. A second call has no effect.
public protocol Cancellable {

  /// Stops the work.
  func cancel()
}

extension Cancellable {

  /// Wraps this cancellable in a new ``AnyCancellable`` and appends that to a collection.
  ///
  /// - Parameter collection: The collection that keeps the new ``AnyCancellable`` alive.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Wraps this cancellable in a new ``AnyCancellable`` and inserts that into a set.
  ///
  /// - Parameter set: The set that keeps the new ``AnyCancellable`` alive.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}
