import CombineExtras
import TestSupport
import Testing

/// Publishers that run tasks give them the priority that they are made with.
@Suite(.timeLimit(.minutes(10))) struct TaskPriorityTests {

  private static let publishers: [(String, @Sendable () -> AnyPublisher<TaskPriority, Never>)] = [
    ("DeferredTask", { DeferredTask(priority: .utility) { Task.currentPriority }.eraseToAnyPublisher() }),
    ("Future", { Future(priority: .utility) { Task.currentPriority }.eraseToAnyPublisher() }),
    (
      "asyncMap",
      { Just(1).asyncMap(priority: .utility) { _ in Task.currentPriority }.eraseToAnyPublisher() }
    ),
    (
      "asyncMapLatest",
      { Just(1).asyncMapLatest(priority: .utility) { _ in Task.currentPriority }.eraseToAnyPublisher() }
    ),
  ]

  @Test(arguments: publishers.indices) func isThatOfTheTask(index: Int) async {
    let (name, make) = Self.publishers[index]
    let probe = AsyncProbe<TaskPriority, Never>(requesting: .unlimited)
    make().subscribe(probe)
    #expect(await probe.log.first(2) == [.value(.utility), .finished], "\(name)")
  }
}
