import CombineThreads

extension Subscribers {

  /// A subscriber that assigns each element to a property of an object.
  ///
  /// It holds the object strongly until it completes or is cancelled.
  public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
  {
    /// The kind of errors this subscriber can receive: none.
    public typealias Failure = Never

    /// The key path of the property that is written.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    @usableFromInline
    let lock = Lock()

    @exclusivity(unchecked)  // These two: only with the lock held.
    @usableFromInline
    var target: Root?

    @exclusivity(unchecked)
    @usableFromInline
    var upstream = UpstreamState.awaiting

    /// Creates a subscriber that writes to a property.
    ///
    /// - Parameters:
    ///   - object: The object whose property is written.
    ///   - keyPath: The key path of the property.
    @inlinable
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      target = object
      self.keyPath = keyPath
    }

    /// The object whose property is written, or `nil` after this subscriber has completed or was cancelled.
    public var object: Root? {
      lock.withLock { target }
    }

    /// Keeps the first subscription and requests unlimited demand from it.
    ///
    /// It cancels any further subscription.
    public func receive(subscription: any Subscription) {
      if lock.withLock({ upstream.accept(subscription) }) {
        subscription.request(.unlimited)
      } else {
        subscription.cancel()
      }
    }

    /// Writes an element to the property, provided that a subscription has arrived.
    ///
    /// - Returns: `.none`, because the demand is unlimited already.
    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand {
      let object = lock.withLock { upstream.isSubscribed ? target : nil }
      object?[keyPath: keyPath] = value
      return .none
    }

    /// Releases the object, after which the subscriber does nothing.
    public func receive(completion: Subscribers.Completion<Never>) {
      _ = lock.withLock { endLocked() }
    }

    /// Cancels the upstream and releases the object.
    ///
    /// It does nothing before a subscription has arrived.
    public func cancel() {
      let ended = lock.withLock { endLocked() }
      ended.subscription?.cancel()
    }

    /// Does the same as ``cancel()``, and before a subscription has arrived, too: that subscription is then cancelled.
    @usableFromInline
    func cancelForGood() {
      let ended = lock.withLock { () -> Ended in
        if upstream.isSubscribed { return endLocked() }
        _ = upstream.terminate()
        return (nil, exchange(&target, with: nil))
      }
      ended.subscription?.cancel()
    }

    /// The references to cancel and to release, with the lock free.
    private typealias Ended = (subscription: (any Subscription)?, object: Root?)

    private func endLocked() -> Ended {
      guard let subscription = upstream.disconnect() else { return (nil, nil) }
      return (subscription, exchange(&target, with: nil))
    }

    /// The word `Assign`, the type of the object, and a full stop.
    public var description: String { "Assign \(Root.self)." }

    /// A mirror that shows the object, the key path and the state.
    public var customMirror: Mirror {
      let (object, status) = lock.withLock { (target, upstream) }
      return Mirror(self, children: ["object": object as Any, "keyPath": keyPath, "status": status])
    }

    /// The description.
    public var playgroundDescription: Any { description }
  }
}

extension Publisher where Failure == Never {

  /// Writes each element to a property of an object.
  ///
  /// ```swift
  /// final class Label { var text = "" }
  /// let label = Label()
  /// let cancellable = Just("hello").assign(to: \.text, on: label)
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the property.
  ///   - object: The object. It is held strongly until the publisher completes or the result is cancelled.
  /// - Returns: A cancellable. Cancelling or releasing it stops the assignment. A subscription that arrives afterwards is
  ///   cancelled.
  @inlinable
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable { assign.cancelForGood() }
  }
}
