/// The pure state of a combine-latest, but for the values: its upstreams, demand, and how far its life has come.
@usableFromInline
struct CombineLatestState {

  @usableFromInline
  private(set) var upstreams: UpstreamSlots

  /// Demand not used up yet.
  @usableFromInline
  var demand = Subscribers.Demand.none

  /// How many times an upstream has finished.
  private var finishCount = 0

  /// Whether the downstream has its subscription.
  private var isAnnounced = false

  /// A completion that was decided before that, and waits for it.
  private(set) var held: Subscribers.Completion<any Error>?

  /// Whether values are still taken.
  @usableFromInline
  private(set) var isOpen = true

  /// How a combine-latest ends: what to cancel before the downstream is told, if it is to be told now.
  struct Ending {
    var completion: Subscribers.Completion<any Error>?
    var cancelled: [any Subscription]
  }

  @usableFromInline
  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
  }

  /// A subscription has arrived.
  ///
  /// - Returns: The demand to ask it for; `nil` if it is to be cancelled.
  mutating func accept(_ subscription: any Subscription, at index: Int) -> Subscribers.Demand? {
    guard isOpen, upstreams.accept(subscription, at: index) else { return nil }
    return demand
  }

  /// Adds demand.
  ///
  /// - Returns: The upstreams that it goes to.
  mutating func request(_ more: Subscribers.Demand) -> UpstreamSlots.Live {
    guard isOpen else { return .none }
    demand += more
    return upstreams.live
  }

  @inlinable
  var hasDemand: Bool { demand.rawValue != 0 }

  /// Uses one element of the demand; only if there is any.
  @inlinable
  mutating func takeDemand() {
    if !demand.isUnlimited { demand -= 1 }
  }

  /// Adds the demand that the downstream returned.
  mutating func add(_ returned: Subscribers.Demand) {
    demand += returned
  }

  /// An upstream has finished.
  ///
  /// - Parameter dropped: Takes its subscription, which is let go.
  mutating func finish(at index: Int, dropped: inout (any Subscription)?) -> Ending? {
    guard isOpen else { return nil }
    dropped = upstreams.remove(at: index)
    finishCount += 1
    return finishCount == upstreams.count ? end(.finished, cancelling: []) : nil
  }

  /// An upstream has failed: all others are cancelled.
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
    if isAnnounced { return Ending(completion: completion, cancelled: cancelled) }
    held = completion
    return Ending(completion: nil, cancelled: cancelled)
  }

  /// The downstream has its subscription.
  ///
  /// - Returns: A completion that was held until now.
  mutating func didAnnounce() -> Subscribers.Completion<any Error>? {
    isAnnounced = true
    return exchange(&held, with: nil)
  }

  /// Ends the combine-latest.
  ///
  /// - Parameter dropped: Takes the completion that was held, to be released with the lock free.
  /// - Returns: The upstreams to cancel; none if it had ended before.
  mutating func cancel(dropped: inout Subscribers.Completion<any Error>?) -> [any Subscription] {
    isOpen = false
    dropped = exchange(&held, with: nil)
    return upstreams.removeAll()
  }
}
