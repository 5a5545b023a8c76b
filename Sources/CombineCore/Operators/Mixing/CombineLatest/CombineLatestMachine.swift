/// The pure state of a combine-latest without its values: the upstreams, the demand, and the phase.
@usableFromInline
struct CombineLatestMachine: SteppedMachine {

  @usableFromInline
  private(set) var upstreams: UpstreamSlots

  /// Outstanding demand.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// How many upstreams have finished.
  private var finishCount = 0

  /// A completion waits until the downstream has its subscription.
  private var announcement = EventAnnouncement<Subscribers.Completion<any Error>>()

  /// Whether values are accepted.
  @usableFromInline
  private(set) var isOpen = true

  @usableFromInline
  var mirror: MixingMirror {
    MixingMirror(hasEnded: !isOpen)
  }

  /// How a combine-latest ends: what to cancel, and then what to tell the downstream, unless that waits.
  struct Ending {
    var completion: Subscribers.Completion<any Error>?
    var cancelled: [any Subscription]
  }

  @usableFromInline
  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
  }

  /// Takes the subscription of an upstream.
  ///
  /// - Returns: The demand to request from it; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Subscribers.Demand? {
    guard isOpen, upstreams.accept(subscription, at: index) else { return nil }
    return demand
  }

  /// Adds demand.
  ///
  /// - Returns: The upstreams to request it from.
  mutating func request(_ more: Subscribers.Demand) -> UpstreamSlots.Live {
    guard isOpen else { return .none }
    demand += more
    return upstreams.live
  }

  @inlinable
  var hasDemand: Bool { demand.rawValue != 0 }

  /// Uses one element of the demand. There must be one.
  @inlinable
  mutating func takeDemand() {
    if !demand.isUnlimited { demand -= 1 }
  }

  /// Adds the demand that the downstream has returned.
  mutating func add(_ returned: Subscribers.Demand) {
    demand += returned
  }

  /// Counts the finish of an upstream.
  ///
  /// - Parameter dropped: Takes its subscription, to be released.
  mutating func finish(at index: Int, dropped: inout (any Subscription)?) -> Ending? {
    guard isOpen else { return nil }
    dropped = upstreams.remove(at: index)
    finishCount += 1
    return finishCount == upstreams.count ? end(.finished, cancelling: []) : nil
  }

  /// Takes a failure of an upstream. All others are cancelled.
  mutating func fail(_ error: any Error, at index: Int, dropped: inout (any Subscription)?) -> Ending? {
    guard isOpen else { return nil }
    dropped = upstreams.remove(at: index)
    return end(.failure(error), cancelling: upstreams.removeAll())
  }

  private mutating func end(
    _ completion: Subscribers.Completion<any Error>,
    cancelling cancelled: [any Subscription]
  ) -> Ending {
    isOpen = false
    let isHeld = announcement.holdsUntilEnd(completion)
    return Ending(completion: isHeld ? nil : completion, cancelled: cancelled)
  }

  /// Notes that the downstream has its subscription.
  ///
  /// - Returns: A completion that has waited for that.
  mutating func didAnnounce() -> Subscribers.Completion<any Error>? {
    announcement.end()
  }

  /// Ends the combine-latest.
  ///
  /// - Parameter dropped: Takes a completion that has waited, to be released with the lock free.
  /// - Returns: The upstreams to cancel; none after the end.
  mutating func cancel(dropped: inout Subscribers.Completion<any Error>?) -> [any Subscription] {
    isOpen = false
    dropped = announcement.withdraw()
    return upstreams.removeAll()
  }
}
