import CombineThreads
import Synchronization

extension Publisher {

  /// Publishes a replacement instead of failing, and then finishes.
  ///
  /// The replacement waits for demand, like any element.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--#"
  ///   $0[0].replaceError(with: "z")
  ///   "a--b--(z|)"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct NotANumber: Error {}
  /// let cancellable = ["1", "x"].publisher
  ///   .tryMap { text in
  ///     guard let number = Int(text) else { throw NotANumber() }
  ///     return number
  ///   }
  ///   .replaceError(with: 0)
  ///   .sink { print($0) }  // prints 1, 0
  /// ```
  ///
  /// - Parameter output: The value to publish instead of an error.
  /// - Returns: A publisher that cannot fail.
  @inlinable
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

extension Publishers {

  /// A publisher that sends a replacement instead of its upstream's error, and then finishes.
  public struct ReplaceError<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with: none, because the error is replaced.
    public typealias Failure = Never

    /// The element that is sent instead of an error.
    public let output: Upstream.Output

    /// The publisher whose error is replaced.
    public let upstream: Upstream

    /// Creates a publisher that sends a replacement instead of another publisher's error.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose error is replaced.
    ///   - output: The element that is sent instead of an error.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
      upstream.subscribeConduit(Conduits.ReplaceError<Upstream.Failure, S>(downstream: subscriber, output: output))
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publishers.ReplaceError: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class ReplaceError<Failure: Error, Downstream: Subscriber>: Conduit, ConnectingConduit
  where Downstream.Failure == Never {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let output: Input

    /// The outstanding demand of the downstream.
    ///
    /// A request raises it with the lock held, and a failure reads it with the lock held. So at least one of the two
    /// sees the other.
    @usableFromInline
    let demand = DemandCounter()

    /// Set with a value beyond the demand, for the replacement.
    @usableFromInline
    let unrequested = UnrequestedDeliveryMark()

    /// Whether the upstream has failed and the replacement waits for demand. It is written with the lock held.
    @usableFromInline
    let isFailurePending = Atomic<Bool>(false)

    @inlinable
    init(downstream: Downstream, output: Input) {
      self.downstream = downstream
      self.output = output
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard phase == .subscribed else { return DeliveryReceipt.refuse() }
      guard demand.take() else { return receiveUnrequested(input) }
      return pass(input)
    }

    /// Handles an element beyond the demand.
    ///
    /// It is passed on if a publisher of this package has marked it as unrequested.
    @inlinable
    @inline(never)
    func receiveUnrequested(_ input: Input) -> Subscribers.Demand {
      if !UnrequestedDelivery.isCurrent { Misuse.trap("ReplaceError", .valueBeyondDemand) }
      unrequested.note()
      return pass(input, isUnrequested: true)
    }

    @inlinable
    @inline(__always)
    func pass(_ input: Input, isUnrequested: Bool = false) -> Subscribers.Demand {
      let answer = downstream.receive(input)
      let more = isUnrequested ? answer.afterUnrequestedValue : answer
      demand.add(more)
      // The upstream may have failed while the downstream received this element. The downstream has now returned more
      // demand.
      if more != .none, isFailurePending.load(ordering: .acquiring) { replaceIfPending() }
      return more
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      switch completion {
      case .finished:
        let subscription = lock.withLock {
          isFailurePending.load(ordering: .relaxed) ? nil : disconnectLocked()
        }
        if subscription != nil { downstream.receive(completion: .finished) }
      case .failure:
        let subscription: (any Subscription)? = lock.withLock {
          guard phase == .subscribed, !isFailurePending.load(ordering: .relaxed) else { return nil }
          guard demand.value == .none else { return disconnectLocked() }
          isFailurePending.store(true, ordering: .releasing)
          return nil
        }
        if subscription != nil { replace() }
      }
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("ReplaceError")
      lock.withLock { self.demand.add(demand) }
      if !replaceIfPending() { super.request(demand) }
    }

    /// Sends the replacement if it waits for demand. It does so once, and not after a cancellation.
    ///
    /// - Returns: Whether it was sent.
    @discardableResult
    @usableFromInline
    func replaceIfPending() -> Bool {
      let subscription = lock.withLock {
        isFailurePending.load(ordering: .relaxed) ? disconnectLocked() : nil
      }
      guard subscription != nil else { return false }
      replace()
      return true
    }

    private func replace() {
      unrequested.mark { _ = downstream.receive(output) }
      if !wasCancelled { downstream.receive(completion: .finished) }
    }

    @usableFromInline
    var description: String { "ReplaceError" }
  }
}
