import CombineCore
import CombineThreads

/// A place at which the library calls code of a user that is no subscriber.
enum UserCode: String, CaseIterable, Codable, Sendable {

  /// `==`, `hash(into:)`, `<`.
  case equality, hash, order

  /// The getter or the setter of a property, which a key path names.
  case keyPath

  case description

  /// The closure of an operator.
  case closure

  /// The release of an element, an error, a closure, a date, a subscriber or a subscription.
  case release

  /// A scheduler's clock, its tolerance, and its calls to schedule or to cancel.
  case scheduler

  /// The arithmetic and the comparisons of a scheduler's time type.
  case arithmetic

  /// An upstream's `cancel` and `request`.
  case cancel, request
}

/// What the code does with the pipeline that calls it.
enum IntrusionAct: CaseIterable, Sendable {
  case send, finish, fail, subscribe, cancel, request
}

/// The one place that all poisoned types call. It notes whether a lock is held, and then calls the pipeline.
///
/// It belongs to one thread of a process of its own.
enum Intrusion {

  /// The code that acts, and what it does. Other code only looks at the locks.
  nonisolated(unsafe) static var code: UserCode?
  nonisolated(unsafe) static var act: () -> Void = {}

  /// How often the code still acts. A scheduled action that acts may schedule the next one.
  nonisolated(unsafe) static var rest = 0

  /// What runs now, and what was found: each line once.
  nonisolated(unsafe) static var row = ""
  nonisolated(unsafe) static var faults: Set<String> = []

  /// How often code acted, over all.
  nonisolated(unsafe) static var actCount = 0

  private nonisolated(unsafe) static var isInside = false
  private nonisolated(unsafe) static var lockCount = 0
  private nonisolated(unsafe) static var thread: UInt = 0

  /// Begins to count the locks that this thread holds. A release build has no points to count at; there a second taking of
  /// a lock traps.
  static func watchLocks() {
    thread = Platform.currentThread
    InterleavingPoint.watch { point in
      guard Platform.currentThread == thread else { return false }
      if point == .lockWillBeTaken { lockCount += 1 }
      if point == .lockWasReleased { lockCount -= 1 }
      return false
    }
  }

  static func reach(_ code: UserCode) {
    // Nested code, and code that does not act, must not be called with a lock held either.
    if lockCount > 0 {
      faults.insert("\(row): \(code.rawValue)")
      return
    }
    guard code == self.code, !isInside, rest > 0 else { return }
    rest -= 1
    actCount += 1
    isInside = true
    act()
    isInside = false
  }
}
