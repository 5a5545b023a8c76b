/// A deadline that each element moves, and the one timer for it.
///
/// When the timer fires, and elements have moved the deadline meanwhile, the timer is set again for the rest of the time. So an
/// element sets a timer only if none runs that serves it: see ``Look/serves(_:at:)``.
///
/// It compares no dates, because their operators are the scheduler's, and must run with no lock held. So its owner looks,
/// decides with the lock free, and changes it only if nobody has changed it meanwhile:
///
///     lock     look
///     unlock   compares dates
///     lock     version is the same: the change.    Another one: again
///
/// What it has looked at keeps the dates alive that the change replaces.
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

  /// What the owner looks at.
  @usableFromInline
  package struct Look {

    @usableFromInline
    package let version: Int

    @usableFromInline
    package let deadline: Time?

    @usableFromInline
    package let timerDate: Time?

    @usableFromInline
    package let hasTimer: Bool

    @inlinable
    init(_ state: MovingDeadline) {
      version = state.version
      deadline = state.deadline
      timerDate = state.timerDate
      hasTimer = !state.timers.isEmpty
    }
  }

  @inlinable
  package var look: Look { Look(self) }

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
  /// - Returns: The timer's token to cancel, and the look afterwards if it was the latest timer. If it has fired,
  ///   ``end(isEarly:since:)`` follows.
  @inlinable
  package mutating func removeTimer(_ timer: UInt64) -> (token: (any Cancellable)?, look: Look?) {
    guard let removed = timers.fire(timer) else { return (nil, nil) }
    version &+= 1
    return (removed.token, removed.isLatest ? look : nil)
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
  ///   - look: The look after the timer was removed.
  @inlinable
  package mutating func end(isEarly: Bool, since look: Look) -> End {
    guard version == look.version, let deadline else { return .nothing }
    return isEarly ? .setTimer(setTimer(for: deadline), deadline) : .deadline
  }

  /// Removes the timers.
  ///
  /// - Returns: The tokens to cancel.
  @inlinable
  package mutating func removeAll() -> RetiredTimers {
    version &+= 1
    return timers.removeAll()
  }
}

extension MovingDeadline.Look where Time: Comparable {

  /// Whether a timer runs that serves a deadline: it is not too late, as after a clock was set back, and its date has not
  /// passed. The scheduler may have lost a timer whose date has passed.
  @inlinable
  package func serves(_ deadline: Time, at now: Time) -> Bool {
    guard hasTimer, let timerDate else { return false }
    return timerDate <= deadline && timerDate >= now
  }

  /// Whether the deadline is later than the timer that has fired.
  @inlinable
  package var isEarly: Bool {
    guard let timerDate, let deadline else { return false }
    return timerDate < deadline
  }
}
