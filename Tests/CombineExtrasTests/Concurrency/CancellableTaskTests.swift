import Testing

@testable import CombineExtras

@Suite struct CancellableTaskTests {

  /// Starts a task, and returns whether it is cancelled. A minute passes only if it is not.
  private func isCancelled(_ task: CancellableTask, while body: () -> Void = {}) async -> Bool {
    let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
    task.start(
      TaskWork {
        do {
          try await Task.sleep(for: .seconds(60))
          continuation.yield(false)
        } catch {
          continuation.yield(true)
        }
      }
    )
    body()
    return await results.first { _ in true } ?? false
  }

  @Test func aCancelBeforeTheStartCancelsTheTask() async {
    let task = CancellableTask()
    task.cancel()
    #expect(await isCancelled(task))
    #expect(task.task == nil)
  }

  @Test func aCancelAfterTheStartCancelsTheTask() async {
    let task = CancellableTask()
    #expect(await isCancelled(task) { task.cancel() })
    #expect(task.task == nil)
  }
}
