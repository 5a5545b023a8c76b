import CombineThreads
import Synchronization

/// The connection from the actions that a scheduler keeps to their conduit.
///
/// A cancellation releases the conduit, and with it the downstream and the pending elements, however long the scheduler
/// keeps the actions. Until then the relay of an operator holds the conduit while there are actions.
///
/// It is small, as a scheduler may keep those of very many cancelled conduits.
@usableFromInline
class ActionRelay {

  /// Tells a conduit what has become of an action. The closure is made where the types are known, and is therefore
  /// specialized. A method that is overridden never is.
  @usableFromInline
  typealias Handler = (Conduit, UInt64, ActionOutcome) -> Void

  private final let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private final var handle: Handler?

  @exclusivity(unchecked)
  private final var held: Conduit?

  @usableFromInline
  init(_ handle: @escaping Handler) {
    self.handle = handle
  }

  /// The conduit, or `nil` after its release.
  @usableFromInline
  var conduit: Conduit? {
    lock.lock()
    let current = held
    lock.unlock()
    return current
  }

  /// Holds the conduit, because there are actions.
  @usableFromInline
  final func hold(_ conduit: Conduit) {
    lock.lock()
    held = conduit
    lock.unlock()
  }

  /// Releases the conduit. A caller that holds a lock of the conduit keeps the conduit alive.
  @usableFromInline
  final func release() {
    lock.lock()
    let released = exchange(&held, with: nil)
    lock.unlock()
    _ = released
  }

  /// Releases the conduit for good, and the handler, whose context a debug build allocates.
  @usableFromInline
  final func end() {
    lock.lock()
    let (released, handler) = (exchange(&held, with: nil), exchange(&handle, with: nil))
    lock.unlock()
    _ = (released, handler)
  }

  /// Returns a new action for a scheduler, which runs it once.
  @usableFromInline
  final func action(_ number: UInt64) -> () -> Void {
    let action = ScheduledAction(number, self)
    // The context of this closure is the action itself. So nothing else is allocated.
    return { action.runOnce() }
  }

  /// Returns a new action for a scheduler, which runs it again and again. Its release counts even after a run.
  @usableFromInline
  final func repeatingAction(_ number: UInt64) -> () -> Void {
    let action = ScheduledAction(number, self)
    return { action.run() }
  }

  fileprivate final func tell(_ number: UInt64, _ outcome: ActionOutcome) {
    lock.lock()
    let (held, handle) = (held, handle)
    lock.unlock()
    // One that is not held is asked for by `conduit`.
    if let handle, let conduit = held ?? conduit { handle(conduit, number, outcome) }
  }
}

/// A relay that does not hold its conduit, and so does not keep an abandoned one alive.
@usableFromInline
final class WeakActionRelay: ActionRelay {

  // A weak reference is thread-safe to read. It is written once, before there are actions.
  private weak var referenced: Conduit?

  @usableFromInline
  override init(_ handle: @escaping Handler) {
    super.init(handle)
  }

  @usableFromInline
  override var conduit: Conduit? { referenced }

  @usableFromInline
  func refer(to conduit: Conduit) { referenced = conduit }
}

/// What has become of an action.
@usableFromInline
enum ActionOutcome {
  case ran, dropped
}

/// An action that only a scheduler holds. So the scheduler has dropped it if it is released without having run.
///
/// The conduit knows by the number whether the action still counts.
private final class ScheduledAction {

  /// The number, or none after the only run.
  private let number: Atomic<UInt64>
  private let relay: ActionRelay

  init(_ number: UInt64, _ relay: ActionRelay) {
    self.number = Atomic(number)
    self.relay = relay
  }

  deinit {
    // The last reference is gone, so nobody runs it.
    let number = number.load(ordering: .relaxed)
    if number != PendingActions.none { relay.tell(number, .dropped) }
  }

  func run() {
    relay.tell(number.load(ordering: .relaxed), .ran)
  }

  func runOnce() {
    // The conduit orders what its actions do. This only tells the first run from the others.
    let number = number.exchange(PendingActions.none, ordering: .relaxed)
    if number != PendingActions.none { relay.tell(number, .ran) }
  }
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
      if gone.count > 0 { removeFirstGone() }  // `isEmpty` calls four functions in a debug build.
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
