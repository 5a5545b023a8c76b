/// What a conduit does in a task.
///
/// A task's closure in a generic conduit would capture the metatypes of its generic arguments, which need not be
/// Sendable. It is not a protocol, whose calls would reach code that is not specialized.
///
/// `@unchecked Sendable`: the closures of the conduits capture Sendable objects and values, and those metatypes.
@usableFromInline
struct TaskWork: @unchecked Sendable {

  @usableFromInline
  let run: () async -> Void

  @inlinable
  init(_ run: @escaping () async -> Void) {
    self.run = run
  }

  /// Starts the work in a task, which keeps what the closure captures until it has returned.
  @inlinable
  @discardableResult
  func start(priority: TaskPriority? = nil) -> Task<Void, Never> {
    Task(priority: priority) { await run() }
  }
}
