import CombineThreads
import CombineCore

extension Publisher {

  /// Runs a closure once, after the publisher has completed or was cancelled.
  ///
  /// Each subscription runs the closure once. It runs after the downstream has received the completion, or after a
  /// cancellation has reached the upstream, on the thread of that event. If neither comes, it runs when the subscription
  /// is released. Use it to stop an indicator or to close a file in one place. `handleEvents` needs two closures for that,
  /// and calls them before the downstream and the upstream.
  ///
  /// Demand passes to the upstream unchanged.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].finally { print("closed") }
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = Just("text")
  ///   .finally { print("closed") }
  ///   .sink { print($0) }  // prints text, closed
  /// ```
  ///
  /// - Parameter action: A closure that runs once for each subscription, at its end.
  /// - Returns: A publisher of the same elements.
  @inlinable
  public func finally(_ action: @escaping () -> Void) -> ExtraPublishers.Finally<Self> {
    ExtraPublishers.Finally(upstream: self, action: action)
  }
}

extension ExtraPublishers {

  /// A publisher that runs a closure once, after its upstream has completed or was cancelled, or at its subscription's
  /// release.
  public struct Finally<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose end is awaited.
    public let upstream: Upstream

    /// A closure that runs once for each subscription, at its end.
    public let action: () -> Void

    /// Creates a publisher that runs a closure after another publisher has completed or was cancelled.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose end is awaited.
    ///   - action: A closure that runs once for each subscription, at its end.
    @inlinable
    public init(upstream: Upstream, action: @escaping () -> Void) {
      self.upstream = upstream
      self.action = action
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.Finally(downstream: subscriber, action: action)
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class Finally<Downstream: Subscriber>: PassingConduit<Downstream>, CustomStringConvertible {

    @exclusivity(unchecked)  // Only with the lock held, after `init`.
    @usableFromInline
    var action: (() -> Void)?

    @inlinable
    init(downstream: Downstream, action: @escaping () -> Void) {
      self.action = action
      super.init(downstream: downstream)
    }

    // It has neither completed nor been cancelled.
    @inlinable
    deinit { action?() }

    @inlinable
    override func didEnd() {
      super.didEnd()
      lock.withLock { exchange(&action, with: nil) }?()
    }

    @usableFromInline
    var description: String { "Finally" }
  }
}
