import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes the latest element each time another publisher sends a value.
  ///
  /// Nothing is published if there is no new element since the last sample, or if there is no demand. The element then
  /// waits for the next sample, or is replaced by a newer one.
  ///
  /// The operator requests unlimited demand from both publishers. It completes when one of them completes. An element
  /// that was not sampled by then is dropped.
  ///
  /// ```swift
  /// marbles {
  ///   "-a-b------c-d-|"
  ///   "----x--x-----x--"
  ///   $0[0].sample(by: $0[1])
  ///   "----b--------d|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let positions = PassthroughSubject<Int, Never>()
  /// let frames = PassthroughSubject<Void, Never>()
  /// let cancellable = positions.sample(by: frames).sink { print($0) }
  /// positions.send(1)
  /// positions.send(2)
  /// frames.send()  // prints 2
  /// ```
  ///
  /// - Parameter sampler: The publisher whose values trigger the samples.
  /// - Returns: A publisher of the samples.
  @inlinable
  public func sample<Sampler: Publisher>(by sampler: Sampler) -> ExtraPublishers.Sample<Self, Sampler>
  where Sampler.Failure == Failure {
    ExtraPublishers.Sample(upstream: self, sampler: sampler)
  }
}

extension ExtraPublishers {

  /// A publisher of its upstream's latest element each time another publisher sends a value.
  public struct Sample<Upstream: Publisher, Sampler: Publisher>: Publisher where Upstream.Failure == Sampler.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher of the elements.
    public let upstream: Upstream

    /// The publisher whose values trigger the samples.
    public let sampler: Sampler

    /// Creates a publisher of the latest elements of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher of the elements.
    ///   - sampler: The publisher whose values trigger the samples.
    @inlinable
    public init(upstream: Upstream, sampler: Sampler) {
      self.upstream = upstream
      self.sampler = sampler
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.Sample(downstream: subscriber)
      guard conduit.open() else { return }
      upstream.subscribeConduit(conduit)
      let trigger = TriggerSubscriber<Sampler.Output, Failure>(
        demand: .unlimited,
        receiveValue: { conduit.sample() },
        receiveCompletion: { conduit.finishSampling($0) }
      )
      if conduit.keep(trigger.connection) { sampler.subscribeConduit(trigger) }
    }
  }
}

// MARK: Machine

/// The pure state of `sample`: the latest element that was not sampled.
@usableFromInline
struct SampleMachine<Value> {

  @usableFromInline
  var latest: Value?

  @inlinable
  init() {}

  /// Handles an element.
  ///
  /// - Returns: The element that it replaces, to be released with no lock held.
  @inlinable
  mutating func receive(_ value: Value) -> Value? {
    exchange(&latest, with: value)
  }

  /// Takes a sample.
  ///
  /// - Parameter hasDemand: Whether there is demand. Without it the element stays.
  /// - Returns: The element to publish.
  @inlinable
  mutating func sample(hasDemand: Bool) -> Value? {
    hasDemand ? exchange(&latest, with: nil) : nil
  }

  /// Drops the element.
  ///
  /// - Returns: The element, to be released with no lock held.
  @inlinable
  mutating func removeAll() -> Value? {
    exchange(&latest, with: nil)
  }
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class Sample<Downstream: Subscriber>: PassingConduit<Downstream>, CustomStringConvertible {

    @exclusivity(unchecked)  // These two: only with the lock held.
    @usableFromInline
    var state = SampleMachine<Input>()

    @exclusivity(unchecked)
    @usableFromInline
    var sampler: TriggerConnection?

    @inlinable
    init(downstream: Downstream) {
      super.init(downstream: downstream)
    }

    /// Keeps the source of the samples.
    ///
    /// - Returns: Whether the connection has not ended, so that the caller starts that source.
    @inlinable
    func keep(_ sampler: TriggerConnection) -> Bool {
      lock.withLock {
        if !queue.isClosed { self.sampler = sampler }
        return !queue.isClosed
      }
    }

    @inlinable
    override func receive(subscription: any Subscription) {
      if accept(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      let replaced = lock.withLock { queue.isClosed || !upstream.isSubscribed ? input : state.receive(input) }
      withExtendedLifetime(replaced) {}
      return .none
    }

    @inlinable
    override func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      // First, so that a late subscription of the sampler is not asked for anything.
      cancelSampler()
      send(completion: completion)
    }

    @inlinable
    func cancelSampler() {
      lock.withLock { exchange(&sampler, with: nil) }?.cancel()
    }

    @inlinable
    func sample() {
      let delivery = lock.withLock { () -> Machine.Delivery in
        let hasDemand = !queue.isClosed && queue.demand > queue.count
        return state.sample(hasDemand: hasDemand).map { queue.send($0) } ?? .nothing
      }
      forward(deliver(delivery))
    }

    @inlinable
    func finishSampling(_ completion: Subscribers.Completion<Failure>) {
      cancelUpstream()
      send(completion: completion)
    }

    /// Does nothing. The upstream was asked for unlimited demand.
    @inlinable
    override func receive(demand: Subscribers.Demand) {}

    @inlinable
    override func didEnd() {
      lock.withLock { sampler }?.close()
      super.didEnd()
      cancelSampler()
      let value = lock.withLock { state.removeAll() }
      withExtendedLifetime(value) {}
    }

    @usableFromInline
    var description: String { "Sample" }
  }
}
