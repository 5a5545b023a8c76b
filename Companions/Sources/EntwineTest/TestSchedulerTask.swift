/// A scheduled action, for tests that look inside the module. The tasks of a scheduler run in this order.
struct TestSchedulerTask: Comparable {

  /// The number of the call that scheduled the action.
  let id: Int

  /// The time at which the action runs.
  let time: VirtualTime

  /// The interval between two runs, or zero.
  let interval: VirtualTimeInterval

  /// The action.
  let action: () -> Void

  static func < (lhs: Self, rhs: Self) -> Bool { (lhs.time, lhs.id) < (rhs.time, rhs.id) }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id }
}
