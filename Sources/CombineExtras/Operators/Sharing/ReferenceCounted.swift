import CombineThreads
import CombineCore

extension Publishers.Multicast {

  /// Connects when the first subscriber subscribes, and starts anew after the last one has cancelled.
  ///
  /// In contrast to `autoconnect()`, each connection has a subject of its own. After the last subscriber has cancelled,
  /// the upstream is cancelled and the subject is dropped, so the next subscriber receives nothing that was sent
  /// before. After the upstream's end, the subject is kept while a subscriber holds its subscription. So one that
  /// subscribes again inside its completion, as `retry` and `repeat` do, finds the subject that has ended: put them
  /// above.
  ///
  /// There is one connection at a time. A subscriber that comes while another thread cancels the upstream does not wait:
  /// that thread connects for it afterwards. While the first subscriber's thread connects, a subscriber on another thread
  /// does not wait for the connection either. It may miss what the upstream sends in that time, unless the subject
  /// replays it, as if it had come later.
  ///
  /// ```swift
  /// marbles {
  ///   "-a----b---|"
  ///   let shared = $0[0].multicast { ReplaySubject(replaying: 1) }
  ///     .referenceCounted()
  ///   shared.prefix(1).append(shared)
  ///   "-a----b---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let source = PassthroughSubject<Int, Never>()
  /// let shared = source.multicast { ReplaySubject(replaying: 1) }.referenceCounted()
  /// let first = shared.sink { print("first \($0)") }
  /// source.send(1)  // prints first 1
  /// first.cancel()
  /// let second = shared.sink { print("second \($0)") }  // no output
  /// second.cancel()
  /// ```
  ///
  /// - Returns: A publisher that counts its subscribers.
  @inlinable
  public func referenceCounted() -> ExtraPublishers.ReferenceCounted<Upstream, SubjectType> {
    ExtraPublishers.ReferenceCounted(upstream: upstream, createSubject: createSubject) { $0() }
  }

  /// Connects when the first subscriber subscribes, and starts anew when no subscriber has come for an interval after the
  /// last one has cancelled.
  ///
  /// The subject is kept for that interval after the upstream's end, too, and the interval begins anew with each
  /// subscriber that leaves. Use it where a subscriber is soon followed by the next, for example when a screen is
  /// rotated, and connecting is expensive.
  ///
  /// While the first subscriber's thread connects, a subscriber on another thread does not wait for the connection. It may
  /// miss what the upstream sends in that time, unless the subject replays it, as if it had come later.
  ///
  /// ```swift
  /// marbles {
  ///   "-a----b---|"
  ///   let shared = $0[0].multicast { ReplaySubject(replaying: 1) }
  ///     .referenceCounted(disconnectingAfter: 3, scheduler: $0.scheduler)
  ///   let second = shared.delaySubscription(for: 2, scheduler: $0.scheduler)
  ///   shared.prefix(1).append(second)
  ///   "-a-a--b---|"
  ///   "^"
  /// }
  /// ```
  ///
  /// ```swift
  /// let source = PassthroughSubject<Int, Never>()
  /// let shared = source.multicast { ReplaySubject(replaying: 1) }
  ///   .referenceCounted(disconnectingAfter: .seconds(5), scheduler: DispatchQueue.main)
  /// let first = shared.sink { print("first \($0)") }
  /// source.send(1)  // prints first 1
  /// first.cancel()
  /// let second = shared.sink { print("second \($0)") }  // prints second 1
  /// second.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - gracePeriod: The interval for which the connection stays without a subscriber, in the scheduler's time.
  ///   - scheduler: The scheduler on which the connection ends.
  ///   - options: The options of the scheduler.
  /// - Returns: A publisher that counts its subscribers.
  @inlinable
  public func referenceCounted<S: Scheduler>(
    disconnectingAfter gracePeriod: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> ExtraPublishers.ReferenceCounted<Upstream, SubjectType> {
    ExtraPublishers.ReferenceCounted(upstream: upstream, createSubject: createSubject) { disconnect in
      scheduler.schedule(
        after: scheduler.now.advanced(by: gracePeriod),
        tolerance: scheduler.minimumTolerance,
        options: options,
        disconnect
      )
    }
  }
}

extension ExtraPublishers {

  /// A publisher that shares one subject between its subscribers, and makes a new one after the last one has cancelled.
  public final class ReferenceCounted<Upstream: Publisher, SubjectType: Subject>: Publisher
  where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    @usableFromInline
    let upstream: Upstream
    @usableFromInline
    let createSubject: () -> SubjectType

    /// A closure that runs another one when the connection may end.
    @usableFromInline
    let end: (@escaping () -> Void) -> Void

    /// Held while the subject is created, so that only one is. The closure may run any code, so it is not a lock.
    @usableFromInline
    let creation = Gate()

    @usableFromInline
    let lock = Lock()

    /// The connection that new subscribers join.
    @exclusivity(unchecked)  // These two: only with the lock held.
    @usableFromInline
    var current: SharedConnection<SubjectType>?

    /// Whether the upstream is connected, or a thread connects or cancels it. That thread connects the next time, so that
    /// there is one connection at a time, and nobody waits.
    @exclusivity(unchecked)
    @usableFromInline
    var isOccupied = false

    @inlinable
    init(
      upstream: Upstream,
      createSubject: @escaping () -> SubjectType,
      end: @escaping (@escaping () -> Void) -> Void
    ) {
      self.upstream = upstream
      self.createSubject = createSubject
      self.end = end
    }

    /// Subscribes `subscriber` to the subject, and connects the upstream if it is the first.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == SubjectType.Output, S.Failure == SubjectType.Failure {
      let (connection, isFirst) = join()
      let membership = AnyCancellable { [self] in leave(connection) }
      connection.subject.subscribe(ExtraConduits.ReferenceCounted(downstream: subscriber, membership: membership))
      guard isFirst else { return }
      connect(
        lock.withLock {
          connection.hasSubscriber = true
          return nextConnection()
        }
      )
    }

    /// Connects the upstream to a subject. If its subscribers leave meanwhile, disconnects, and connects to the next one.
    @inlinable
    func connect(_ first: SharedConnection<SubjectType>?) {
      var next = first
      while let connection = next {
        let cancellable = upstream.subscribe(connection.subject, as: .shared)
        let isKept = lock.withLock {
          guard !connection.hasEnded else { return false }
          connection.cancellable = cancellable
          return true
        }
        if isKept { return }
        cancellable.cancel()
        next = lock.withLock { nextConnection(afterClosing: true) }
      }
    }

    /// The connection that this thread has to make now. The caller holds the lock.
    ///
    /// - Parameter hasClosed: Whether this thread has closed the one before.
    @inlinable
    func nextConnection(afterClosing hasClosed: Bool = false) -> SharedConnection<SubjectType>? {
      if hasClosed { isOccupied = false }
      guard !isOccupied, let current, current.hasSubscriber else { return nil }
      isOccupied = true
      return current
    }

    /// Counts a new subscriber.
    @inlinable
    func join() -> (connection: SharedConnection<SubjectType>, isFirst: Bool) {
      creation.pass {
        if let connection = lock.withLock({ joinCurrent() }) { return (connection, false) }
        let new = SharedConnection(createSubject())
        return lock.withLock {
          // The closure may have subscribed a subscriber itself.
          if let connection = joinCurrent() { return (connection, false) }
          current = new
          return (new, true)
        }
      }
    }

    @inlinable
    func joinCurrent() -> SharedConnection<SubjectType>? {
      current?.count += 1
      return current
    }

    @inlinable
    func leave(_ connection: SharedConnection<SubjectType>) {
      let absence = lock.withLock { () -> Int? in
        connection.count -= 1
        guard connection.count == 0 else { return nil }
        connection.absence &+= 1
        return connection.absence
      }
      guard let absence else { return }
      end { [self] in disconnect(connection, after: absence) }
    }

    /// Ends a connection, unless a subscriber has come since the absence of subscribers began.
    @inlinable
    func disconnect(_ connection: SharedConnection<SubjectType>, after absence: Int) {
      let cancellable = lock.withLock { () -> AnyCancellable? in
        guard connection.count == 0, connection.absence == absence else { return nil }
        connection.hasEnded = true
        if current === connection { current = nil }
        return exchange(&connection.cancellable, with: nil)
      }
      // Without a cancellable, the connection is not made yet. The thread that makes it cancels it.
      guard let cancellable else { return }
      cancellable.cancel()
      connect(lock.withLock { nextConnection(afterClosing: true) })
    }
  }
}

// The lock and the gate guard the state.
extension ExtraPublishers.ReferenceCounted: @unchecked Sendable where Upstream: Sendable {}

/// A subject, its connection, and the number of its subscribers. The lock of the publisher guards it.
@usableFromInline
final class SharedConnection<SubjectType> {

  @usableFromInline
  let subject: SubjectType
  @usableFromInline
  var count = 1

  /// Whether the first subscriber is subscribed to the subject. It would miss what the upstream sends before.
  @usableFromInline
  var hasSubscriber = false

  /// The number of times that the last subscriber has left.
  @usableFromInline
  var absence = 0

  @usableFromInline
  var cancellable: AnyCancellable?
  @usableFromInline
  var hasEnded = false

  @inlinable
  init(_ subject: SubjectType) {
    self.subject = subject
  }
}

extension ExtraConduits {

  /// The subscription of one subscriber. It stays counted until it is cancelled or released.
  @usableFromInline
  final class ReferenceCounted<Downstream: Subscriber>: Subscriber, Subscription, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input
    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    /// The subscriber's part in the count. It leaves once: with the cancel, or when the subscription is released.
    @usableFromInline
    let membership: AnyCancellable
    @usableFromInline
    let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var upstream = UpstreamState.awaiting

    @inlinable
    init(downstream: Downstream, membership: AnyCancellable) {
      self.downstream = downstream
      self.membership = membership
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard lock.withLock({ upstream.accept(subscription) }) else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard let subscription = lock.withLock({ upstream.disconnect() }) else { return }
      withExtendedLifetime(subscription) { downstream.receive(completion: completion) }
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      lock.withLock { upstream.subscription }?.request(demand)
    }

    @inlinable
    func cancel() {
      lock.withLock { upstream.terminate() }?.cancel()
      membership.cancel()
    }

    @usableFromInline
    var _gate: UnsafeRawPointer? { lock.withLock { upstream.subscription }?._gate }

    @usableFromInline
    var _isDelivering: Bool { lock.withLock { upstream.subscription }?._isDelivering ?? true }

    @inlinable
    var description: String { "ReferenceCounted" }
  }
}
