/// The pure state of a flat-map without its values: the upstream, the inner publishers, the demand, and the phase.
@usableFromInline
struct FlatMapMachine: SteppedMachine, ~Copyable {

  private(set) var demand = Subscribers.Demand.none { didSet { updateMirror() } }
  private var phase = Phase.running { didSet { updateMirror() } }
  @usableFromInline
  private(set) var mirror = MixingMirror(hasEnded: false)
  private(set) var upstream: (any Subscription)?
  private(set) var inners = InnerSubscriptions()

  /// How many values wait for demand.
  private(set) var waitingCount = 0
  private var drain = Drain.idle

  /// Whether unlimited demand was requested from the inner publishers since the downstream requested it last.
  private var hasRequestedUnlimited = false

  private enum Phase: Equatable {
    case running

    /// The upstream has finished. The inner publishers go on.
    case finishing

    /// The upstream has failed. This thread cancels the inner publishers before the downstream completes.
    case failing(thread: UInt)

    /// Completed or cancelled. As in Combine, an inner publisher that sends all the same is heard while there is demand.
    case ended

    /// Cancelled after the end had begun. There is no demand any more.
    case silenced
  }

  /// Who delivers the values that wait. Each drain belongs to one thread.
  ///
  /// It is no ``Deliverer``: a value that finds demand passes the gate at once, before those that wait, and each value that
  /// was delivered is requested again from its own inner publisher.
  private enum Drain {
    case idle

    /// Delivering one value.
    case delivering(thread: UInt)

    /// Requesting the next value of an inner publisher. What arrives meanwhile goes to the end of the queue.
    case requesting(thread: UInt)

    /// The thread that drains, or zero.
    var thread: UInt {
      switch self {
      case .idle: 0
      case .delivering(let thread), .requesting(let thread): thread
      }
    }

    var isRequesting: Bool {
      if case .requesting = self { true } else { false }
    }
  }

  init() {}

  /// Whether the flat-map has completed or was cancelled.
  var isEnded: Bool { phase != .running && phase != .finishing }

  private mutating func updateMirror() {
    mirror = MixingMirror(isUnlimited: demand.isUnlimited, hasEnded: isEnded)
  }

  // MARK: Upstream

  /// Takes the subscription of the upstream. As in Combine, another one may come after the finish.
  ///
  /// - Returns: Whether the subscription is kept. If not, the caller cancels it.
  mutating func accept(_ subscription: any Subscription) -> Bool {
    guard !isEnded, upstream == nil else { return false }
    upstream = subscription
    return true
  }

  /// Makes room for the inner publisher of a value; `nil` after the end.
  mutating func addInner() -> InnerSubscriptions.Key? {
    isEnded ? nil : inners.add()
  }

  /// - Returns: The upstream's subscription, to be released.
  mutating func finishUpstream() -> (any Subscription)? {
    if phase == .running { phase = .finishing }
    return exchange(&upstream, with: nil)
  }

  /// Takes a failure of the upstream. Traps when the upstream fails again inside a cancel that its first failure caused.
  ///
  /// - Parameter dropped: Takes the upstream's subscription, to be released.
  /// - Returns: The inner subscriptions to cancel before the downstream completes; `nil` after the end.
  mutating func failUpstream(thread: UInt, dropped: inout (any Subscription)?) -> [any Subscription]? {
    if phase == .failing(thread: thread) { Misuse.trap("FlatMap", .failureInsideFailure) }
    dropped = exchange(&upstream, with: nil)
    guard !isEnded else { return nil }
    phase = .failing(thread: thread)
    return removeInners()
  }

  /// Ends the cancelling of the inner publishers after a failure of the upstream.
  mutating func didCancelInners() {
    if case .failing = phase { phase = .ended }
  }

  private mutating func removeInners() -> [any Subscription] {
    waitingCount = 0
    return inners.removeAll()
  }

  // MARK: Inner publishers

  /// Takes the subscription of an inner publisher.
  ///
  /// - Returns: The demand to request from it; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, for key: InnerSubscriptions.Key) -> Subscribers.Demand? {
    guard !isEnded, inners.accept(subscription, for: key) else { return nil }
    return demand.isUnlimited ? .unlimited : .max(1)
  }

  @usableFromInline
  mutating func receiveValue() -> ValueArrival {
    if demand.isUnlimited { return .deliver }
    if demand == .none || drain.isRequesting {
      guard !isEnded else { return .drop }
      waitingCount += 1
      return .keep
    }
    demand -= 1
    return .deliverCounted
  }

  /// Adds the demand that the delivery of a counted value has brought.
  ///
  /// - Parameter isOutermost: Whether the delivery was not nested in another one, whose end looks after the rest.
  /// - Returns: Whether the caller is to drain.
  mutating func didDeliver(_ more: Subscribers.Demand, isOutermost: Bool) -> Bool {
    add(more)
    return isOutermost && drain.thread == 0 && !isEnded
      && (waitingCount > 0 && demand > .none || demand.isUnlimited && !hasRequestedUnlimited)
  }

  /// Removes an inner publisher that has finished.
  ///
  /// - Returns: Its subscription, to be released.
  mutating func finishInner(_ key: InnerSubscriptions.Key) -> InnerSubscriptions.Removed {
    inners.remove(key)
  }

  /// Takes a failure of an inner publisher. The upstream is released and, as in Combine, not cancelled: nothing else
  /// would ever break the cycle between the two.
  ///
  /// - Parameter dropped: Takes both subscriptions.
  /// - Returns: The inner subscriptions to cancel before the downstream completes; `nil` after the end.
  mutating func failInner(
    _ key: InnerSubscriptions.Key,
    dropped: inout (inner: (any Subscription)?, upstream: (any Subscription)?)
  ) -> [any Subscription]? {
    guard !isEnded else { return nil }
    phase = .ended
    dropped = (inners.remove(key).take(), exchange(&upstream, with: nil))
    return removeInners()
  }

  // MARK: Downstream

  /// Adds demand.
  ///
  /// - Parameter isInsideDelivery: Whether this thread is delivering a value. The end of the delivery does the rest.
  /// - Returns: Whether the caller is to drain.
  mutating func request(_ more: Subscribers.Demand, isInsideDelivery: Bool) -> Bool {
    if isInsideDelivery {
      add(more)
      return false
    }
    guard !isEnded else { return false }
    add(more)
    if more.isUnlimited { hasRequestedUnlimited = false }
    return drain.thread == 0
  }

  private mutating func add(_ more: Subscribers.Demand) {
    if phase != .silenced { demand += more }
  }

  /// What a drain does next.
  @usableFromInline
  enum DrainStep: Equatable {

    /// Delivers the first value that waits. `isCounted` says whether that uses up demand.
    case deliver(isCounted: Bool)

    /// Ends: there is no value or no demand.
    case end

    /// Returns, as another thread drains and sees all that there is.
    case leave
  }

  /// Takes one value that waits, if there is demand for it.
  @usableFromInline
  mutating func takeWaiting(on thread: UInt) -> DrainStep {
    guard drain.thread == 0 || drain.thread == thread else { return .leave }
    guard !isEnded, waitingCount > 0, demand > .none else {
      drain = .idle
      return .end
    }
    drain = .delivering(thread: thread)
    waitingCount -= 1
    let isCounted = !demand.isUnlimited
    if isCounted { demand -= 1 }
    return .deliver(isCounted: isCounted)
  }

  /// Leaves the rest of this thread's drain to another thread.
  mutating func stopDraining(on thread: UInt) {
    if drain.thread == thread { drain = .idle }
  }

  /// Adds the demand that the delivery of a value that waited has brought.
  ///
  /// - Parameter isCounted: Whether the value used up demand.
  /// - Returns: The inner publisher to request the next value from.
  mutating func didDrain(
    _ key: InnerSubscriptions.Key,
    _ more: Subscribers.Demand,
    isCounted: Bool,
    on thread: UInt
  ) -> (any Subscription)? {
    add(more)
    guard isCounted, !isEnded, let inner = inners[key] else { return nil }
    drain = .requesting(thread: drain.thread == 0 ? thread : drain.thread)
    return inner
  }

  /// The inner publishers to request unlimited demand from: all of them, each time the downstream has requested it.
  mutating func takeUnlimitedRequest() -> [any Subscription] {
    guard demand.isUnlimited, !hasRequestedUnlimited else { return [] }
    hasRequestedUnlimited = true
    return inners.live
  }

  /// Completes the flat-map if nothing more can come.
  ///
  /// - Parameter thread: The calling thread. While another thread drains, it may have taken the last value and not
  ///   delivered it yet. Then the end is left to that thread.
  /// - Returns: Whether it completed, so that the downstream completes.
  mutating func endIfFinished(on thread: UInt) -> Bool {
    guard phase == .finishing, waitingCount == 0, inners.count == 0,
      drain.thread == 0 || drain.thread == thread
    else { return false }
    phase = .ended
    return true
  }

  /// Takes a cancel of the downstream.
  ///
  /// After a failure it silences what is left: while one inner publisher is being cancelled, another one may still send.
  ///
  /// - Returns: The inner publishers and then the upstream, to be cancelled; nothing after the end.
  mutating func cancel() -> [any Subscription] {
    if isEnded {
      phase = .silenced
      demand = .none
      return []
    }
    phase = .ended
    let inners = removeInners()
    return inners + (exchange(&upstream, with: nil).map { [$0] } ?? [])
  }
}
