/// The pure state of a switch-to-latest: the upstream, the latest inner publisher, the demand, and the phase.
@usableFromInline
struct SwitchToLatestMachine: SteppedMachine {

  private(set) var demand = Subscribers.Demand.none
  private var phase = Phase.running
  private var upstream: (any Subscription)?
  private var inner = Inner.none
  private var innerSubscription: (any Subscription)?

  /// The number of the latest inner publisher; zero before the first. After the greatest number comes 1 again.
  private(set) var current: Int

  /// The thread on which it arrived.
  private var switcher: UInt = 0

  private enum Phase {
    case running

    /// The upstream has finished. The latest inner publisher goes on.
    case finishing

    /// The completion was sent. The latest inner publisher may still send values, as in Combine.
    case completed

    /// The downstream has cancelled, or an inner publisher has failed. Nothing passes.
    case cancelled
  }

  /// The latest inner publisher.
  private enum Inner {

    /// There is none, or it has finished.
    case none

    /// It was subscribed to and has sent no subscription. One that never sends a subscription finishes.
    case awaited

    /// Its subscription is `innerSubscription`. As a payload it would be copied by each look at this.
    case subscribed
  }

  /// What to do with a value of an inner publisher.
  @usableFromInline
  enum Arrival {

    /// Deliver it. It was counted.
    case deliver

    /// Deliver it beyond the demand.
    case deliverUnrequested

    /// Drop it: its publisher is not the latest.
    case drop
  }

  /// What a value reads without the lock.
  @usableFromInline
  struct Mirror: MachineMirror {

    @usableFromInline
    let rawValue: Int

    @inlinable
    init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Whether the demand is unlimited.
    @inlinable
    var isUnlimited: Bool { rawValue & 1 != 0 }

    /// The number of the latest inner publisher, and zero after a cancel.
    @inlinable
    var current: Int { rawValue >> 1 }

    /// The greatest number that fits beside the other bit.
    static var greatest: Int { .max >> 1 }
  }

  @usableFromInline
  var mirror: Mirror {
    Mirror(rawValue: (phase == .cancelled ? 0 : current) << 1 | (demand.isUnlimited ? 1 : 0))
  }

  /// - Parameter current: The number of the inner publisher before the first one.
  init(current: Int = 0) {
    self.current = current
  }

  private mutating func takeInner() -> (any Subscription)? {
    defer { inner = .none }
    return inner == .subscribed ? exchange(&innerSubscription, with: nil) : nil
  }

  // MARK: Upstream

  /// Takes the subscription of the upstream. As in Combine, another one may come after the finish.
  ///
  /// - Returns: Whether the subscription is kept. If not, the caller cancels it.
  mutating func accept(_ subscription: any Subscription) -> Bool {
    guard phase != .cancelled, upstream == nil else { return false }
    upstream = subscription
    return true
  }

  /// Takes an inner publisher that the upstream has sent.
  ///
  /// - Parameters:
  ///   - thread: The thread on which it arrived.
  ///   - replaced: Takes the subscription of the inner publisher before, to be cancelled first.
  /// - Returns: The number of the inner publisher; `nil` if it is not to be subscribed to.
  mutating func nextInner(
    on thread: UInt,
    replaced: inout (any Subscription)?
  ) -> Int? {
    guard phase == .running else { return nil }
    replaced = takeInner()
    inner = .awaited
    current = current == Mirror.greatest ? 1 : current + 1
    switcher = thread
    return current
  }

  /// Takes the finish of the upstream.
  ///
  /// - Parameter dropped: Takes the upstream's subscription, to be released.
  /// - Returns: Whether the downstream is to complete.
  mutating func finishUpstream(dropped: inout (any Subscription)?) -> Bool {
    dropped = exchange(&upstream, with: nil)
    guard phase != .cancelled else { return false }
    guard inner == .none else {
      if phase == .running { phase = .finishing }
      return false
    }
    phase = .completed
    return true
  }

  /// Takes a failure of the upstream.
  ///
  /// - Parameters:
  ///   - dropped: Takes the upstream's subscription, to be released.
  ///   - cancelled: Takes the inner subscription, to be cancelled first.
  /// - Returns: Whether the downstream is to complete.
  mutating func failUpstream(
    dropped: inout (any Subscription)?,
    cancelled: inout (any Subscription)?
  ) -> Bool {
    dropped = exchange(&upstream, with: nil)
    guard phase != .cancelled else { return false }
    phase = .completed
    cancelled = takeSubscribedInner()
    return true
  }

  /// An inner publisher whose subscription has not come stays awaited.
  private mutating func takeSubscribedInner() -> (any Subscription)? {
    inner == .subscribed ? takeInner() : nil
  }

  // MARK: Inner publishers

  private func isCurrent(_ number: Int) -> Bool { phase != .cancelled && number == current }

  /// Whether another inner publisher is the latest and has arrived on another thread.
  func isReplaced(_ number: Int, elsewhereThanOn thread: UInt) -> Bool {
    number != current && switcher != thread
  }

  /// Takes the subscription of an inner publisher.
  ///
  /// - Returns: The demand to request from it; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, of number: Int) -> Subscribers.Demand? {
    guard isCurrent(number), inner != .subscribed else { return nil }
    inner = .subscribed
    innerSubscription = subscription
    return demand
  }

  /// Takes a value of an inner publisher. Traps if there is no demand for it, unless a publisher of this package may send
  /// it all the same.
  mutating func receiveValue(of number: Int) -> Arrival {
    guard isCurrent(number) else { return .drop }
    if demand == .none {
      if !UnrequestedDelivery.isCurrent { Misuse.trap("SwitchToLatest", .valueBeyondDemand) }
      return .deliverUnrequested
    }
    demand -= 1
    return .deliver
  }

  /// Adds the demand that the delivery of a value has brought.
  ///
  /// - Returns: The inner publisher to request it from, as the sender is no longer the latest.
  mutating func didDeliver(_ more: Subscribers.Demand, of number: Int) -> (any Subscription)? {
    demand += more
    return isCurrent(number) ? nil : innerSubscription
  }

  /// Takes the finish of an inner publisher. Traps if its subscription has not come.
  ///
  /// - Parameters:
  ///   - mayBeAwaited: Whether it sends none.
  ///   - dropped: Takes its subscription, to be released.
  /// - Returns: Whether the downstream is to complete.
  mutating func finishInner(
    _ number: Int,
    mayBeAwaited: Bool = false,
    dropped: inout (any Subscription)?
  ) -> Bool {
    guard isCurrent(number) else { return false }
    if inner == .awaited && !mayBeAwaited { Misuse.trap("SwitchToLatest", .completionOfAwaitedPublisher) }
    dropped = takeInner()
    guard phase == .finishing else { return false }
    phase = .completed
    return true
  }

  /// Takes a failure of an inner publisher. Traps if its subscription has not come.
  ///
  /// - Parameters:
  ///   - dropped: Takes its subscription, to be released.
  ///   - cancelled: Takes the upstream's subscription, to be cancelled first.
  /// - Returns: Whether the downstream is to complete.
  mutating func failInner(
    _ number: Int,
    dropped: inout (any Subscription)?,
    cancelled: inout (any Subscription)?
  ) -> Bool {
    guard isCurrent(number) else { return false }
    if inner == .awaited { Misuse.trap("SwitchToLatest", .completionOfAwaitedPublisher) }
    dropped = takeInner()
    guard phase != .completed else { return false }
    phase = .cancelled
    cancelled = exchange(&upstream, with: nil)
    return true
  }

  // MARK: Downstream

  /// Adds demand.
  ///
  /// - Returns: The inner publisher to request it from.
  mutating func request(_ more: Subscribers.Demand) -> (any Subscription)? {
    demand += more
    return innerSubscription
  }

  /// - Returns: The inner publisher and the upstream, to be cancelled in this order.
  mutating func cancel() -> [any Subscription] {
    phase = .cancelled
    return [takeInner(), exchange(&upstream, with: nil)].compactMap { $0 }
  }
}
