import Synchronization

extension Subscribers {

  /// A subscriber that asks for everything and hands it to closures.
  ///
  /// The operators `sink` make one and return an ``AnyCancellable`` around it.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible
  {
    /// What is called with each value. Replaced by an empty closure when the sink ends.
    @exclusivity(unchecked)  // After `init`, written only inside `gate`, by the outermost pass, once `isEnded` is set.
    public internal(set) final var receiveValue: (Input) -> Void

    /// What is called with the completion, once. Replaced by an empty closure when the sink ends.
    @exclusivity(unchecked)  // As for `receiveValue`; and taken, once, by the call that ends the sink.
    public internal(set) final var receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    /// Held around the closures, so that they are called without being retained: nobody releases them meanwhile.
    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let isEnded = Atomic<Bool>(false)

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var upstream = UpstreamState.awaiting

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called with the completion, once.
    ///   - receiveValue: Called with each value.
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    /// Keeps the first subscription and asks it for unlimited demand; cancels any other.
    public func receive(subscription: any Subscription) {
      if lock.withLock({ upstream.accept(subscription) }) {
        subscription.request(.unlimited)
      } else {
        subscription.cancel()
      }
    }

    /// Hands a value to the closure.
    ///
    /// - Returns: `.none`, as the demand is unlimited already.
    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand {
      let isOutermost = gate.enter()
      if !isEnded.load(ordering: .sequentiallyConsistent) { receiveValue(value) }
      if isOutermost {
        gate.leave()
        if isEnded.load(ordering: .sequentiallyConsistent) { releaseClosures() }
      }
      return .none
    }

    /// Ends the sink and hands the completion to the closure, once.
    public func receive(completion: Subscribers.Completion<Failure>) {
      let (isFirst, subscription) = lock.withLock {
        if case .terminal = upstream { return (false, (any Subscription)?.none) }
        isEnded.store(true, ordering: .sequentiallyConsistent)
        return (true, upstream.terminate())
      }
      _ = subscription
      guard isFirst else { return }
      let isOutermost = gate.enter()
      let receiveCompletion = exchange(&self.receiveCompletion, with: { _ in })
      // Inside a value's delivery its closure is still running: the end of that delivery releases it.
      if isOutermost { receiveValue = { _ in } }
      receiveCompletion(completion)
      if isOutermost { gate.leave() }
    }

    /// Ends the sink, releases the closures and cancels upstream. Does nothing before a subscription has arrived.
    public func cancel() {
      let subscription = lock.withLock {
        let subscription = upstream.disconnect()
        if subscription != nil { isEnded.store(true, ordering: .sequentiallyConsistent) }
        return subscription
      }
      guard let subscription else { return }
      releaseClosures()
      subscription.cancel()
    }

    /// Releases the closures unless a delivery is running, whose end will do it.
    @inline(never)
    @usableFromInline
    func releaseClosures() {
      guard gate.tryEnter() else { return }
      let old = (exchange(&receiveValue, with: { _ in }), exchange(&receiveCompletion, with: { _ in }))
      gate.leave()
      _ = old  // Released outside the gate: what they captured may call back.
    }

    /// `Sink`.
    public var description: String { "Sink" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// `Sink`.
    public var playgroundDescription: Any { description }
  }
}

// The closures are called by one thread at a time, inside the gate; they are the caller's to make safe.
extension Subscribers.Sink: @unchecked Sendable where Input: Sendable {}

extension Publisher {

  /// Attaches a subscriber that asks for everything and calls closures.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher.sink(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) }
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called with the completion, once.
  ///   - receiveValue: Called with each value.
  /// - Returns: A cancellable; cancelling or dropping it stops the flow of values.
  @inlinable
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {

  /// Attaches a subscriber that asks for everything and calls a closure with each value.
  ///
  /// - Parameter receiveValue: Called with each value.
  /// - Returns: A cancellable; cancelling or dropping it stops the flow of values.
  @inlinable
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
