/// The connection from the actions that a scheduler keeps to their conduit.
///
/// A cancellation releases the conduit, and with it the downstream and the pending elements, however long the scheduler
/// keeps the actions. Until then the relay of an operator holds the conduit while there are actions, or refers to it weakly.
@usableFromInline
final class ActionRelay {

  /// A function that takes the number of an action. It is made where the types are known, and is therefore specialized.
  @usableFromInline
  typealias Handler = (Conduit, UInt64) -> Void

  private let run: Handler
  private let drop: Handler

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private var held: Conduit?

  @exclusivity(unchecked)
  private weak var referenced: Conduit?

  /// Creates a relay that holds nothing yet.
  ///
  /// - Parameters:
  ///   - run: A function that runs an action.
  ///   - drop: A function that is called if the scheduler drops an action.
  @usableFromInline
  init(run: @escaping Handler, drop: @escaping Handler) {
    self.run = run
    self.drop = drop
  }

  /// The conduit, or `nil` after its release.
  @usableFromInline
  var conduit: Conduit? {
    lock.lock()
    let current = held ?? referenced
    lock.unlock()
    return current
  }

  /// Holds the conduit, because there are actions.
  @usableFromInline
  func hold(_ conduit: Conduit) {
    lock.lock()
    held = conduit
    lock.unlock()
  }

  /// Refers to the conduit without holding it.
  @usableFromInline
  func refer(to conduit: Conduit) {
    lock.withLock { referenced = conduit }
  }

  /// Releases the conduit. A caller that holds a lock of the conduit keeps the conduit alive.
  @usableFromInline
  func release() {
    lock.lock()
    let released = exchange(&held, with: nil)
    if referenced != nil { referenced = nil }
    lock.unlock()
    _ = released
  }

  /// Returns a new action, for a scheduler.
  @usableFromInline
  func action(_ number: UInt64) -> () -> Void {
    let action = ScheduledAction(number, self)
    // The context of this closure is the action itself. So nothing else is allocated.
    return { action.run() }
  }

  fileprivate func run(_ number: UInt64) {
    if let conduit { run(conduit, number) }
  }

  fileprivate func drop(_ number: UInt64) {
    if let conduit { drop(conduit, number) }
  }
}

/// An action that only a scheduler holds. So the scheduler has dropped it if it is released without having run.
///
/// The conduit knows by the number whether the action still counts. A second run, and a release after a run, do not.
private final class ScheduledAction {

  private let number: UInt64
  private let relay: ActionRelay

  init(_ number: UInt64, _ relay: ActionRelay) {
    self.number = number
    self.relay = relay
  }

  deinit { relay.drop(number) }

  func run() { relay.run(number) }
}

/// The actions of a scheduler that have neither run nor been dropped. They are as many as the events that wait, and the first
/// one stands for the first event, and so on.
///
/// An action that runs takes the oldest event with it. One that is dropped takes the event that it stands for. So on a
/// scheduler that keeps the order, each action delivers or drops its own event. On any other one the order of the events
/// stays the same, and each dropped action costs one event:
///
///     actions      1 2 3        events   a b c
///     3 runs       1 2          delivers a; left: b c
///     1 is dropped   2          drops b; left: c
///     2 runs                    delivers c
@usableFromInline
struct PendingActions {

  /// The number of the oldest action.
  private var first: UInt64 = 1

  /// The number of the next action.
  private var next: UInt64 = 1

  /// The numbers in between that have run or were dropped, in order.
  private var gone: [UInt64] = []

  @usableFromInline
  init() {}

  @usableFromInline
  var isEmpty: Bool { first == next }

  /// The number of an action that stands for no event.
  @usableFromInline
  static var none: UInt64 { 0 }

  /// Adds an action for an event behind the others.
  ///
  /// - Returns: Its number.
  @usableFromInline
  mutating func add() -> UInt64 {
    next += 1
    return next - 1
  }

  /// Removes an action that runs or was dropped.
  ///
  /// - Returns: The place of the event that it stands for. `nil` if it has run, was dropped or was removed before.
  @usableFromInline
  mutating func remove(_ number: UInt64) -> Int? {
    guard number >= first, number < next else { return nil }
    if number == first {
      first += 1
      if !gone.isEmpty { removeFirstGone() }
      return 0
    }
    let earlier = countOfGone(before: number)
    if earlier < gone.count, gone[earlier] == number { return nil }
    gone.insert(number, at: earlier)
    return Int(number - first) - earlier
  }

  private func countOfGone(before number: UInt64) -> Int {
    var (low, high) = (0, gone.count)
    while low < high {
      let middle = (low + high) / 2
      if gone[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func removeFirstGone() {
    var count = 0
    while count < gone.count, gone[count] == first {
      first += 1
      count += 1
    }
    gone.removeFirst(count)
  }

  @usableFromInline
  mutating func removeAll() {
    first = next
    gone = []
  }
}
