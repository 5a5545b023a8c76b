/// What a conduit does in a task.
///
/// A task's closure in a generic conduit would capture the metatypes of its generic arguments, which need not be
/// Sendable. The existential that ``startTask(_:priority:)`` takes captures none.
protocol TaskWork: AnyObject, Sendable {

  func run() async
}

/// Starts work in a task, which keeps the object until the work has returned.
@discardableResult
func startTask(_ work: any TaskWork, priority: TaskPriority? = nil) -> Task<Void, Never> {
  Task(priority: priority) { await work.run() }
}
