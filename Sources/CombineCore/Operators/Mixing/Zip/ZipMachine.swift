/// The pure state of a zip without its values: the upstreams, and the phase.
@usableFromInline
struct ZipMachine: SteppedMachine {

  private(set) var upstreams: UpstreamSlots

  /// Every completion waits until the downstream has its subscription, which it gets when all upstreams have sent theirs.
  private(set) var announcement = EventAnnouncement<Subscribers.Completion<any Error>>()

  /// The number of upstreams that have sent a subscription.
  private var arrivedCount = 0

  /// The upstreams that have finished.
  private(set) var finished: SlotSet

  /// Whether some upstream has finished.
  @usableFromInline
  private(set) var hasFinished = false

  /// Demand that the downstream has requested while it was receiving its subscription.
  private var early = Subscribers.Demand.none

  /// Whether values are accepted.
  @usableFromInline
  private(set) var isOpen = true

  @usableFromInline
  var mirror: MixingMirror {
    MixingMirror(hasEnded: !isOpen)
  }

  /// Whether the completion was decided after the subscription, or the downstream has cancelled.
  private var hasEnded = false

  /// Whether the downstream is receiving its subscription.
  private var isAnnouncing: Bool { announcement.hasBegun && !announcement.isDone }

  /// What to do with a subscription that has arrived.
  enum Arrival {
    case keep
    case cancel

    /// Keep it, and send the downstream its own, as this was the last one.
    case announce
  }

  /// How a zip ends: what to cancel before the downstream completes, and what to release after that.
  struct Ending {
    var completion: Subscribers.Completion<any Error>
    var cancelled: [any Subscription]
    var released: [any Subscription]
  }

  @usableFromInline
  init(count: Int) {
    upstreams = UpstreamSlots(count: count)
    finished = SlotSet(capacity: count)
  }

  mutating func accept(_ subscription: any Subscription, at index: Int) -> Arrival {
    guard !hasEnded, !announcement.hasBegun, upstreams.accept(subscription, at: index) else { return .cancel }
    arrivedCount += 1
    guard arrivedCount == upstreams.count else { return .keep }
    return announcement.begin() ? .announce : .keep
  }

  /// Notes that the downstream has its subscription.
  ///
  /// - Returns: An ending that has waited for that.
  mutating func didAnnounce() -> Ending? {
    let held = announcement.end()
    return hasEnded ? nil : held.flatMap { end($0) }
  }

  /// Takes the finish of an upstream.
  ///
  /// - Parameter isDrained: Whether none of its values waits for a combination.
  mutating func finish(at index: Int, isDrained: Bool) -> Ending? {
    guard isOpen else { return nil }
    finished.insert(index)
    hasFinished = true
    return isDrained ? end(.finished) : nil
  }

  mutating func fail(_ error: any Error) -> Ending? {
    isOpen ? end(.failure(error)) : nil
  }

  /// Notes that the combination just delivered took the last value of an upstream that has finished.
  mutating func finishAfterCombination() -> Ending? {
    isOpen ? end(.finished) : nil
  }

  private mutating func end(_ completion: Subscribers.Completion<any Error>) -> Ending? {
    isOpen = false
    if announcement.holdsUntilEnd(completion) { return nil }
    hasEnded = true
    let cancelled = upstreams.live { !finished.contains($0) }
    return Ending(completion: completion, cancelled: cancelled, released: upstreams.removeAll())
  }

  /// The upstreams to request demand from; none while the downstream is receiving its subscription.
  mutating func request(_ demand: Subscribers.Demand) -> UpstreamSlots.Live {
    guard !isAnnouncing else {
      early += demand
      return .none
    }
    return isOpen ? upstreams.live : .none
  }

  /// Takes the demand requested while the downstream was receiving its subscription.
  mutating func takeEarlyRequest() -> Subscribers.Demand {
    exchange(&early, with: .none)
  }

  /// The upstreams to request demand from after a combination. They are all but the upstream whose value completed the
  /// combination, which gets the demand as the result of its call.
  func requestedAfterCombination(from index: Int) -> UpstreamSlots.Live {
    isOpen ? upstreams.live(except: index) : .none
  }

  /// Ends the zip.
  ///
  /// - Returns: The upstreams to cancel; none after the end.
  mutating func cancel() -> [any Subscription] {
    isOpen = false
    hasEnded = true
    return upstreams.removeAll()
  }
}
