import Synchronization

// MARK: State

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

// MARK: Conduit

/// The part of a combine-latest's conduit that knows no types.
@usableFromInline
class CombineLatestCore: Subscription {

  @usableFromInline
  final let lock = Lock()

  @usableFromInline
  final let gate = Gate()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  final var state: CombineLatestState

  /// Whether the downstream has cancelled: a completion that waits for the gate is then not told. Set with the lock held.
  @usableFromInline
  final let isCancelled = Atomic<Bool>(false)

  @usableFromInline
  init(count: Int) {
    state = CombineLatestState(count: count)
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, at index: Int) {
    guard let demand = lock.withLock({ state.accept(subscription, at: index) }) else {
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  @usableFromInline
  final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("CombineLatest")
    for upstream in lock.withLock({ state.request(demand) }) { upstream.request(demand) }
  }

  @usableFromInline
  func cancel() {
    var dropped: Subscribers.Completion<any Error>?
    let upstreams = lock.withLock {
      isCancelled.store(true, ordering: .releasing)
      return state.cancel(dropped: &dropped)
    }
    for upstream in upstreams { upstream.cancel() }
    _ = consume dropped  // With the lock free.
  }

  /// Passes on the demand returned for a combination that another thread than its sender's has delivered.
  @usableFromInline
  final func request(_ demand: Subscribers.Demand, from index: Int) {
    lock.withLock { state.isOpen ? state.upstreams[index] : nil }?.request(demand)
  }

  @usableFromInline
  final func add(_ returned: Subscribers.Demand) {
    lock.withLock { state.add(returned) }
  }
}

extension Conduits {

  /// The subscription of a combine-latest: keeps the latest value of each upstream.
  @usableFromInline
  final class CombineLatest<Row: MixingRow, Downstream: Subscriber>: CombineLatestCore, RowParent
  where Downstream.Input == Row.Output {

    @usableFromInline
    typealias SideFailure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var row = Row()

    /// A combination that waits while another thread is inside the downstream.
    @usableFromInline
    typealias Waiting = (output: Downstream.Input, index: Int)

    /// The combinations that wait, the oldest first.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var waiting = Deque<Waiting>()

    /// How many have left `waiting`, ever; the greatest number after the end. Set with the lock held, and looked at
    /// without by threads that wait.
    @usableFromInline
    let takenCount = Atomic<Int>(0)

    @inlinable
    init(downstream: Downstream) {
      self.downstream = downstream
      super.init(count: Row.width)
    }

    /// Gives the downstream its subscription, once all upstreams were subscribed to.
    @usableFromInline
    func announce() {
      downstream.receive(subscription: self)
      if let completion = lock.withLock({ state.didAnnounce() }) { complete(completion) }
    }

    @usableFromInline
    func receive(subscription: any Subscription, at index: Int) {
      accept(subscription, at: index)
    }

    @inlinable
    func receive<Input>(
      _ input: Input,
      at index: Int,
      put: (CombineLatest<Row, Downstream>, Input) -> Input?
    ) -> Subscribers.Demand {
      lock.lock()
      guard state.isOpen else {
        lock.unlock()
        return .none
      }
      let replaced = put(self, input)
      // Inside a delivery on this thread a value makes no combination of its own.
      guard row.isComplete, state.hasDemand, !gate.isEntered else {
        lock.unlock()
        _ = replaced  // Released with the lock free.
        return .none
      }
      state.takeDemand()
      let isUnlimited = state.demand.isUnlimited
      let output = row.read()
      // The gate is entered in the same step: combinations are delivered in the order in which they were made, and a
      // completion, decided from now on by another thread, comes after this one.
      guard waiting.isEmpty, gate.enterIfFree() else {
        waiting.append((output, index))
        let number = takenCount.load(ordering: .relaxed) + waiting.count
        lock.unlock()
        _ = replaced
        return deliverWaiting(upTo: number)
      }
      lock.unlock()
      _ = replaced

      let returned = downstream.receive(output)
      if !isUnlimited, returned.rawValue != 0 { add(returned) }
      gate.leave()
      withExtendedLifetime(output) {}  // Released with the gate free.
      return returned
    }

    /// Waits until another thread has left the downstream, and delivers all combinations up to one's own, the oldest
    /// first; or returns when another thread has taken that, or all has ended.
    ///
    /// - Returns: The demand returned for one's own.
    @inlinable
    @inline(never)
    func deliverWaiting(upTo number: Int) -> Subscribers.Demand {
      var own = Subscribers.Demand.none
      var delivered: [(waiting: Waiting, returned: Subscribers.Demand)] = []
      gate.pass(unless: { takenCount.load(ordering: .acquiring) >= number }) {
        while let (waiting, isOwn, isUnlimited) = takeWaiting(upTo: number) {
          let returned = downstream.receive(waiting.output)
          if !isUnlimited, returned.rawValue != 0 { add(returned) }
          if isOwn { own = returned }
          delivered.append((waiting, isOwn ? .none : returned))
        }
      }
      // With the gate free: upstream is called, and the combinations are released.
      for (waiting, returned) in delivered where returned.rawValue != 0 { request(returned, from: waiting.index) }
      return own
    }

    @inlinable
    func takeWaiting(upTo number: Int) -> (Waiting, isOwn: Bool, isUnlimited: Bool)? {
      lock.withLock {
        let taken = takenCount.load(ordering: .relaxed) &+ 1
        // Nothing waits after the end.
        guard taken <= number, let first = waiting.popFirst() else { return nil }
        takenCount.store(taken, ordering: .releasing)
        return (first, taken == number, state.demand.isUnlimited)
      }
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      var dropped: (any Subscription)?
      let ending = step { state in
        switch completion {
        case .finished: state.finish(at: index, dropped: &dropped)
        case .failure(let error): state.fail(error, at: index, dropped: &dropped)
        }
      }
      guard let ending else { return }
      for upstream in ending.cancelled { upstream.cancel() }
      // The downstream may have cancelled from within.
      if let completion = ending.completion { complete(completion) }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      step { _ in () }
    }

    /// Makes a step, and if that ended it, drops the values.
    private func step<Result>(_ body: (inout CombineLatestState) -> Result) -> Result {
      var discarded = Row()
      var discardedWaiting = Deque<Waiting>()
      var hasEnded = false
      let result = lock.withLock {
        let result = body(&state)
        hasEnded = !state.isOpen
        if hasEnded {
          swap(&row, &discarded)
          swap(&waiting, &discardedWaiting)
          takenCount.store(.max, ordering: .releasing)
        }
        return result
      }
      if hasEnded { gate.releaseWaiting() }
      _ = consume discarded  // With the lock free.
      _ = consume discardedWaiting
      return result
    }

    private func complete(_ completion: Subscribers.Completion<any Error>) {
      gate.pass(unless: { isCancelled.load(ordering: .acquiring) }) {
        guard !isCancelled.load(ordering: .acquiring) else { return }
        downstream.receive(completion: completion.mapFailure { $0 as! Downstream.Failure })
      }
    }
  }
}

extension Conduits.CombineLatest: DescribedByName {

  @usableFromInline
  var description: String { "CombineLatest" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let (state, values) = lock.withLock { (self.state, row.reflectedValues) }
    return [
      "downstream": downstream,
      "upstreamSubscriptions": state.upstreams.subscriptions,
      "demand": state.demand,
      "buffers": values,
    ]
  }
}
