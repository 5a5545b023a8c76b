import CombineCore

/// An iterator over a ``ManualPublisher``, and the tasks that wait in its copies.
///
/// Everything happens on the main actor, so that a test knows which tasks wait, in which order.
@MainActor
public final class Iteration<Failure: Error> {

  public let upstream: ManualPublisher<Int, Failure>

  private let waiterCount: () -> Int
  private var startTask: (() -> Task<Int?, any Error>)?

  /// - Parameters:
  ///   - upstream: The publisher to iterate over.
  ///   - iterator: The iterator.
  ///   - waiterCount: A closure that returns the number of tasks that wait in it.
  public init<Iterator: AsyncIteratorProtocol>(
    over upstream: ManualPublisher<Int, Failure>,
    _ iterator: Iterator,
    waiterCount: @escaping () -> Int
  ) where Iterator.Element == Int {
    self.upstream = upstream
    self.waiterCount = waiterCount
    startTask = {
      Task {
        var copy = iterator
        return try await copy.next(isolation: MainActor.shared)
      }
    }
  }

  /// The calls that the upstream received.
  public var history: [ManualSubscription.Call] { upstream.history }

  /// Starts a task that requests the next value, and returns when it waits.
  public func wait() async -> Task<Int?, any Error> {
    let count = waiterCount() + 1
    let task = startTask!()
    while waiterCount() < count { await Task.yield() }
    return task
  }

  /// Requests the next value in a task and returns it. The value must exist already.
  public func next() async throws -> Int? {
    try await startTask!().value
  }

  /// Requests the next value in a task that is already cancelled.
  public func nextWhenCancelled() async throws -> Int? {
    let task = startTask!()
    task.cancel()
    return try await task.value
  }

  /// Releases the iterator, except the copies that tasks hold.
  public func dropIterator() {
    startTask = nil
  }
}
