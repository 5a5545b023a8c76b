/// A deadline that each element moves, and the one timer for it.
///
/// When the timer fires, and elements have moved the deadline meanwhile, the timer is set again for the rest of the time. So an
/// element sets a timer only if none runs that serves it: see ``isServed(_:by:at:)``.
///
/// It compares no dates, because their operators are the scheduler's, and must run with no lock held. So its owner looks,
/// decides with the lock free, and changes it only if nobody has changed it meanwhile:
///
///     lock     pending, version
///     unlock   compares dates
///     lock     version is the same: the change.    Another one: again
@usableFromInline
package struct MovingDeadline<Time> {

  @usableFromInline
  var timers = TimerTable()

  /// The deadline, or `nil` if there is none.
  @usableFromInline
  var deadline: Time?

  /// The date of the latest timer.
  @usableFromInline
  var timerDate: Time?

  /// The number of changes.
  @usableFromInline
  package var version = 0

  @inlinable
  package init() {}

  /// The date of the timer that runs, if one does.
  @inlinable
  package var pending: Time? { timers.isEmpty ? nil : timerDate }

  /// Moves the deadline.
  ///
  /// - Parameter setsTimer: Whether no timer runs that serves it.
  /// - Returns: The number of the timer to set for the deadline, if any. It takes the place of an earlier one.
  @inlinable
  package mutating func move(to deadline: Time, setsTimer: Bool) -> UInt64? {
    version &+= 1
    self.deadline = deadline
    return setsTimer ? setTimer(for: deadline) : nil
  }

  @inlinable
  mutating func setTimer(for date: Time) -> UInt64 {
    version &+= 1
    timerDate = date
    return timers.add()
  }

  /// Handles the token of a timer that has been set.
  ///
  /// - Returns: The tokens to cancel: those of all earlier timers, or this one if it is too late.
  @inlinable
  package mutating func setToken(_ token: any Cancellable, of timer: UInt64) -> RetiredTimers {
    timers.setToken(token, of: timer)
  }

  /// Removes a timer that has fired, or that the scheduler has dropped. Only the first action of a timer counts.
  ///
  /// - Returns: The timer's token to cancel, and the dates if it was the latest timer. If it has fired, ``end(isEarly:since:)``
  ///   follows.
  @inlinable
  package mutating func removeTimer(_ timer: UInt64) -> (
    token: (any Cancellable)?, dates: (timer: Time, deadline: Time)?
  ) {
    guard let removed = timers.fire(timer) else { return (nil, nil) }
    version &+= 1
    guard removed.isLatest, let timerDate, let deadline else { return (removed.token, nil) }
    return (removed.token, (timerDate, deadline))
  }

  @usableFromInline
  package enum End {

    /// An element that has come meanwhile has a timer of its own.
    case nothing

    /// The timer to set, since the deadline is later.
    case setTimer(UInt64, Time)

    case deadline
  }

  /// Decides what the latest timer does that has fired.
  ///
  /// - Parameters:
  ///   - isEarly: Whether the deadline is later than the timer.
  ///   - version: The ``version`` after the timer was removed.
  @inlinable
  package mutating func end(isEarly: Bool, since version: Int) -> End {
    guard self.version == version, let deadline else { return .nothing }
    return isEarly ? .setTimer(setTimer(for: deadline), deadline) : .deadline
  }

  /// Removes the deadline and the timers.
  ///
  /// - Returns: The tokens to cancel.
  @inlinable
  package mutating func removeAll() -> RetiredTimers {
    version &+= 1
    deadline = nil
    return timers.removeAll()
  }
}

extension MovingDeadline where Time: Comparable {

  /// Whether a timer serves a deadline: it is not too late, as after a clock was set back, and its date has not passed. The
  /// scheduler may have lost a timer whose date has passed.
  @inlinable
  package static func isServed(_ deadline: Time, by pending: Time?, at now: Time) -> Bool {
    guard let pending else { return false }
    return pending <= deadline && pending >= now
  }
}
