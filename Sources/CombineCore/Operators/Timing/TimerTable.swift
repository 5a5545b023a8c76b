/// The timers that an operator has set, of which only the latest counts.
///
/// An entry is made before the scheduler is called, because the timer may fire before that call has returned its token.
/// A token that arrives after its entry is gone is too late, and must be cancelled immediately. The table calls
/// nothing. It returns the tokens to cancel, with no lock held.
@usableFromInline
struct TimerTable {

  @usableFromInline
  struct Entry {
    @usableFromInline let number: UInt64
    @usableFromInline var token: (any Cancellable)?

    @inlinable
    init(number: UInt64) { self.number = number }
  }

  /// There are rarely more than two: the latest, and the one before it until the latest has its token.
  @usableFromInline
  var entries: [Entry] = []

  @usableFromInline
  var latest: UInt64 = 0

  @inlinable
  init() {}

  /// Whether no timer is running.
  @inlinable
  var isEmpty: Bool { entries.count == 0 }

  /// Whether a timer is running, or about to be set.
  @inlinable
  func contains(_ number: UInt64) -> Bool { index(of: number) != nil }

  // Here and below: the closures, the iterators and `isEmpty` of a collection cost a debug build more than the rest.
  @inlinable
  func index(of number: UInt64) -> Int? {
    var index = 0
    while index < entries.count {
      if entries[index].number == number { return index }
      index += 1
    }
    return nil
  }

  /// Makes an entry for a timer about to be set. Only this timer counts from now on.
  ///
  /// - Returns: The number of the timer.
  @inlinable
  mutating func add() -> UInt64 {
    latest += 1
    entries.append(Entry(number: latest))
    return latest
  }

  /// Handles the token of a timer that has been set.
  ///
  /// - Returns: The tokens to cancel: those of all earlier timers, or this one if it is too late.
  @inlinable
  mutating func setToken(_ token: any Cancellable, of number: UInt64) -> RetiredTimers {
    var retired = RetiredTimers()
    while entries.count > 0, entries[0].number < number { retired.add(entries.remove(at: 0).token) }
    if entries.count > 0, entries[0].number == number {
      entries[0].token = token
    } else {
      retired.add(token)
    }
    return retired
  }

  /// Removes a timer that has fired, or that the scheduler has dropped.
  ///
  /// - Returns: Whether it was the latest, and its token to cancel. `nil` if it was removed before.
  @inlinable
  mutating func fire(_ number: UInt64) -> (isLatest: Bool, token: (any Cancellable)?)? {
    guard let index = index(of: number) else { return nil }
    return (number == latest, entries.remove(at: index).token)
  }

  /// Removes all timers.
  ///
  /// - Returns: The tokens to cancel.
  @inlinable
  mutating func removeAll() -> RetiredTimers {
    var retired = RetiredTimers()
    var index = 0
    while index < entries.count {
      retired.add(entries[index].token)
      index += 1
    }
    while entries.count > 0 { entries.removeLast() }
    return retired
  }
}

/// Tokens of timers that no longer count.
///
/// The caller must cancel them with no lock held. A single token needs no allocation.
@usableFromInline
package struct RetiredTimers {

  @usableFromInline
  var first: (any Cancellable)?

  @usableFromInline
  var rest: [any Cancellable] = []

  @inlinable
  init() {}

  @inlinable
  mutating func add(_ token: (any Cancellable)?) {
    guard let token else { return }
    if first == nil { first = token } else { rest.append(token) }
  }

  /// Cancels the timers, the oldest first.
  @inlinable
  package func cancel() {
    first?.cancel()
    if rest.count > 0 { for token in rest { token.cancel() } }
  }
}

/// The settings with which an operator sets its timers.
@usableFromInline
struct TimerSchedule<Context: Scheduler> {

  @usableFromInline
  let interval: Context.SchedulerTimeType.Stride

  @usableFromInline
  let scheduler: Context

  @usableFromInline
  let options: Context.SchedulerOptions?

  @inlinable
  init(interval: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions?) {
    self.interval = interval
    self.scheduler = scheduler
    self.options = options
  }

  /// The date of a timer that is set now.
  @inlinable
  var nextDate: Context.SchedulerTimeType { scheduler.now.advanced(by: interval) }

  /// Starts a repeating timer that fires first after one interval, with the scheduler's minimum tolerance.
  @inlinable
  func startTimer(_ action: @escaping () -> Void) -> any Cancellable {
    startTimer(at: nextDate, action)
  }

  /// Starts a repeating timer that fires first at a date, with the scheduler's minimum tolerance.
  @inlinable
  func startTimer(at date: Context.SchedulerTimeType, _ action: @escaping () -> Void) -> any Cancellable {
    scheduler.schedule(
      after: date,
      interval: interval,
      tolerance: scheduler.minimumTolerance,
      options: options,
      action
    )
  }

  /// Runs an action as soon as possible, with the options of the timers.
  @inlinable
  func run(_ action: @escaping () -> Void) {
    scheduler.schedule(options: options, action)
  }
}
