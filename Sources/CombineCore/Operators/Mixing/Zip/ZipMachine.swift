/// The pure state of a zip, but for the values: its upstreams, and how far its life has come.
@usableFromInline
struct ZipState {

  private(set) var upstreams: UpstreamSlots
  private(set) var phase = Phase.gathering

  /// The upstreams that have sent a subscription, one bit each.
  private var arrived: UInt64 = 0

  /// The upstreams that have finished, one bit each.
  @usableFromInline
  private(set) var finished: UInt64 = 0

  /// A completion that was decided before the downstream had its subscription, and waits for that.
  private(set) var held: Subscribers.Completion<any Error>?

  /// Requested before the upstreams may be asked: while the downstream is being given its subscription.
  private var early = Subscribers.Demand.none

  /// Whether values are still taken.
  @usableFromInline
  private(set) var isOpen = true

  enum Phase {

    /// Some upstream has not sent its subscription.
    case gathering

    /// The downstream is being given its subscription.
    case announcing
    case running
    case ended
  }

  /// What to do with a subscription that has arrived.
  enum Arrival {
    case keep
    case cancel

    /// Keep it, and give the downstream its own, as this was the last.
    case announce
  }

  /// How a zip ends: what to cancel before the downstream is told, and what to let go of after that.
  struct Ending {
    var completion: Subscribers.Completion<any Error>
    var cancelled: [any Subscription]
    var released: [any Subscription]
  }

  @usableFromInline
  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
  }

  private func bit(_ index: Int) -> UInt64 { 1 << UInt64(index) }

  mutating func accept(_ subscription: any Subscription, at index: Int) -> Arrival {
    guard phase == .gathering, upstreams.accept(subscription, at: index) else { return .cancel }
    arrived |= bit(index)
    guard arrived.nonzeroBitCount == upstreams.count else { return .keep }
    phase = .announcing
    return .announce
  }

  /// The downstream has its subscription.
  ///
  /// - Returns: An ending that was held until now.
  mutating func didAnnounce() -> Ending? {
    guard phase == .announcing else { return nil }
    phase = .running
    return held.flatMap { end($0) }
  }

  /// An upstream has finished.
  ///
  /// - Parameter isDrained: Whether none of its values waits to be joined.
  mutating func finish(at index: Int, isDrained: Bool) -> Ending? {
    guard isOpen else { return nil }
    finished |= bit(index)
    return isDrained ? end(.finished) : nil
  }

  mutating func fail(_ error: any Error) -> Ending? {
    isOpen ? end(.failure(error)) : nil
  }

  /// The row just delivered took the last value of an upstream that has finished.
  mutating func finishAfterRow() -> Ending? {
    isOpen ? end(.finished) : nil
  }

  private mutating func end(_ completion: Subscribers.Completion<any Error>) -> Ending? {
    isOpen = false
    guard phase == .running else {
      held = completion
      return nil
    }
    phase = .ended
    let cancelled = upstreams.live { finished & bit($0) == 0 }
    return Ending(completion: completion, cancelled: cancelled, released: upstreams.removeAll())
  }

  /// The upstreams that a request goes to; none yet while the downstream is being given its subscription.
  mutating func request(_ demand: Subscribers.Demand) -> UpstreamSlots.Live {
    guard phase != .announcing else {
      early += demand
      return .none
    }
    return isOpen ? upstreams.live : .none
  }

  /// What was requested while the downstream was being given its subscription.
  mutating func takeEarlyRequest() -> Subscribers.Demand {
    exchange(&early, with: .none)
  }

  /// The upstreams that the demand there is after a row goes to: all but the one whose value completed the row, which
  /// gets it as the demand returned.
  func requestedAfterRow(from index: Int) -> UpstreamSlots.Live {
    isOpen ? upstreams.live(except: index) : .none
  }

  /// Ends the zip.
  ///
  /// - Returns: The upstreams to cancel; none if it had ended before.
  mutating func cancel() -> [any Subscription] {
    isOpen = false
    phase = .ended
    return upstreams.removeAll()
  }
}
