import CombineThreads
import CombineCore

/// The conduit of windows, by count or by time. A subclass makes what it publishes from them.
///
/// Elements do not pass a method that a subclass overrides, because such a call reaches code that is not specialized.
@usableFromInline
class WindowConduit<Input, Downstream: Subscriber>: QueuedConduit<Downstream> {

  @usableFromInline
  typealias Failure = Downstream.Failure

  /// The scheduler of windows by time.
  @usableFromInline
  let clock: (any WindowClock)?

  @exclusivity(unchecked)  // These four: only with the lock held, after `init`.
  @usableFromInline
  final var windows: WindowMachine

  /// The timer of the ticks, and how often it was replaced. A tick of a replaced timer does nothing.
  @exclusivity(unchecked)
  @usableFromInline
  final var tickTimer: ReleasableTimer?

  @exclusivity(unchecked)
  @usableFromInline
  final var tickGeneration = 0

  /// A timer for each open window, if windows close between ticks. The oldest is first.
  @exclusivity(unchecked)
  @usableFromInline
  final var closingTimers: [ReleasableTimer] = []

  @inlinable
  init(downstream: Downstream, count: Int?, opening: WindowOpening, clock: (any WindowClock)? = nil) {
    self.clock = clock
    windows = WindowMachine(count: count, opening: opening)
    super.init(downstream: downstream)
  }

  // The timers do not keep the conduit alive. Otherwise those of an abandoned conduit would fire forever.
  deinit {
    tickTimer?.cancel()
    for timer in closingTimers { timer.cancel() }
  }

  // MARK: What a subclass overrides

  /// Takes the change of a tick or a timer, with the lock held.
  ///
  /// - Returns: What to deliver.
  @usableFromInline
  func apply(_ change: WindowChange) -> Machine.Delivery { .nothing }

  /// Takes the completion of the upstream, with the lock held.
  ///
  /// - Returns: What to deliver.
  @inlinable
  func apply(_ completion: Completion) -> Machine.Delivery { .nothing }

  /// Called after the change of a tick or a timer, and after the completion, with the lock free.
  @inlinable
  func didChange() {}

  // MARK: Upstream

  @inlinable
  final func receive(subscription: any Subscription) {
    guard accept(subscription), open(), clock != nil else { return }
    tick(0)
    requestUpstream(.unlimited)
  }

  /// Takes an element.
  ///
  /// - Parameter apply: A closure that takes the change, with the lock held, and returns what to deliver.
  /// - Returns: New demand of the downstream for windows.
  @inlinable
  final func receiveElement(_ apply: (WindowChange) -> Machine.Delivery) -> Subscribers.Demand {
    var full: [ReleasableTimer] = []
    var restartsClock = false
    var ticks: ReleasableTimer?
    let delivery = lock.withLock { () -> Machine.Delivery in
      guard upstream.isSubscribed else { return .nothing }
      ticks = tickTimer
      let change = windows.receive()
      if change.filled > 0 { full = takeClosingTimers(change.filled) }
      if change.reopens {
        restartsClock = true
        // A tick of the old clock that comes before the new one starts closes nothing:
        //
        //     this thread                      the scheduler
        //     closes window 1, opens window 2
        //                                      tick of the clock of window 1
        //     starts the clock of window 2
        tickGeneration &+= 1
      }
      return apply(change)
    }
    for timer in full { timer.cancel() }
    if restartsClock || ticks?.isLost == true { startTicks() }
    return deliver(delivery)
  }

  @inlinable
  final func receive(completion: Subscribers.Completion<Failure>) {
    guard finishUpstream() else { return }
    cancelTimers()
    forward(deliver(lock.withLock { apply(completion) }))
    didChange()
  }

  /// Asks the upstream for the elements of as many windows. The elements of windows by time are not counted.
  @inlinable
  override final func receive(demand: Subscribers.Demand) {
    let elements = elements(for: demand)
    if elements != .none { requestUpstream(elements) }
  }

  @inlinable
  final func elements(for demand: Subscribers.Demand) -> Subscribers.Demand {
    demand == .none ? .none : lock.withLock { windows.elements(for: demand) }
  }

  @inlinable
  override func didEnd() {
    super.didEnd()
    cancelTimers()
  }

  // MARK: Time

  /// Opens a window, and closes those whose time is over. The first tick starts the clock.
  @inlinable
  final func tick(_ generation: Int) {
    let (isDue, delivery, number, expired) = lock.withLock { () -> (Bool, Machine.Delivery, Int64, [ReleasableTimer]) in
      guard generation == tickGeneration, upstream.isSubscribed else { return (false, .nothing, 0, []) }
      let change = windows.tick()
      return (true, apply(change), windows.open.upperBound - 1, takeClosingTimers(change.expired))
    }
    guard isDue else { return }
    for timer in expired { timer.cancel() }
    if clock?.closesBetweenTicks == true { startClosing(number) }
    if generation == 0 { startTicks() }
    forward(deliver(delivery))
    didChange()
  }

  @inlinable
  final func startTicks() {
    let (timer, last) = lock.withLock { () -> (ReleasableTimer?, ReleasableTimer?) in
      guard upstream.isSubscribed else { return (nil, nil) }
      tickGeneration &+= 1
      let timer = ReleasableTimer { [weak self, tickGeneration] in self?.tick(tickGeneration) }
      return (timer, exchange(&tickTimer, with: timer))
    }
    last?.cancel()
    if let timer { clock?.startTicks(timer) }
  }

  @inlinable
  final func startClosing(_ number: Int64) {
    let timer = ReleasableTimer { [weak self] in self?.expire(number) }
    let isOpen = lock.withLock {
      let isOpen = upstream.isSubscribed && windows.open.contains(number)
      if isOpen { closingTimers.append(timer) }
      return isOpen
    }
    if isOpen { clock?.startClosing(timer) }
  }

  @inlinable
  final func expire(_ number: Int64) {
    let (delivery, expired) = lock.withLock { () -> (Machine.Delivery, [ReleasableTimer]) in
      guard upstream.isSubscribed else { return (.nothing, []) }
      let change = windows.expire(number)
      return (apply(change), takeClosingTimers(change.expired))
    }
    for timer in expired { timer.cancel() }
    forward(deliver(delivery))
    didChange()
  }

  /// Removes the timers of windows that close. The lock is held.
  @inlinable
  final func takeClosingTimers(_ count: Int) -> [ReleasableTimer] {
    let number = min(count, closingTimers.count)
    guard number > 0 else { return [] }
    defer { closingTimers.removeFirst(number) }
    return Array(closingTimers.prefix(number))
  }

  @inlinable
  final func cancelTimers() {
    let (tick, closing) = lock.withLock { (exchange(&tickTimer, with: nil), exchange(&closingTimers, with: [])) }
    tick?.cancel()
    for timer in closing { timer.cancel() }
  }
}
