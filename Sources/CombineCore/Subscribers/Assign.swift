extension Subscribers {

  /// A subscriber that writes each value to a property of an object.
  ///
  /// It holds the object strongly until it ends.
  public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    /// An assignment cannot be sent an error.
    public typealias Failure = Never

    /// The property that is written.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    private let lock = Lock()

    @exclusivity(unchecked)  // These two: only with the lock held.
    private var target: Root?

    @exclusivity(unchecked)
    private var upstream = UpstreamState.awaiting

    /// Creates a subscriber that writes to a property.
    ///
    /// - Parameters:
    ///   - object: The object whose property is written.
    ///   - keyPath: The key path of the property.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      target = object
      self.keyPath = keyPath
    }

    /// The object whose property is written; `nil` once the subscriber has ended.
    public var object: Root? {
      lock.withLock { target }
    }

    /// Keeps the first subscription and asks it for unlimited demand; cancels any other.
    public func receive(subscription: any Subscription) {
      if lock.withLock({ upstream.accept(subscription) }) {
        subscription.request(.unlimited)
      } else {
        subscription.cancel()
      }
    }

    /// Writes a value to the property, once there is a subscription.
    ///
    /// - Returns: `.none`, as the demand is unlimited already.
    public func receive(_ value: Input) -> Subscribers.Demand {
      let object = lock.withLock { upstream.isSubscribed ? target : nil }
      object?[keyPath: keyPath] = value
      return .none
    }

    /// Ends the subscriber and releases the object.
    public func receive(completion: Subscribers.Completion<Never>) {
      _ = end()
    }

    /// Ends the subscriber, releases the object and then cancels upstream.
    public func cancel() {
      end()?.cancel()
    }

    /// Ends a connection and releases the object, with the lock free.
    private func end() -> (any Subscription)? {
      let (subscription, object) = lock.withLock {
        guard let subscription = upstream.disconnect() else { return ((any Subscription)?.none, Root?.none) }
        return (subscription, exchange(&target, with: nil))
      }
      _ = object
      return subscription
    }

    /// `Assign`, the type of the object, and a full stop.
    public var description: String { "Assign \(Root.self)." }

    /// A mirror of the object, the key path and the state.
    public var customMirror: Mirror {
      let (object, status) = lock.withLock { (target, upstream) }
      return Mirror(self, children: ["object": object as Any, "keyPath": keyPath, "status": status])
    }

    /// The description.
    public var playgroundDescription: Any { description }
  }
}

extension Publisher where Failure == Never {

  /// Writes each value to a property of an object.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let label = Label()
  /// let cancellable = Just("hello").assign(to: \.text, on: label)
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - object: The object; held strongly until the publisher ends or the result is cancelled.
  /// - Returns: A cancellable; cancelling or dropping it stops the assignment.
  @inlinable
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}
