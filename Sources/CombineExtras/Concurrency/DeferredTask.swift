import CombineThreads
import CombineCore

/// A publisher that runs an asynchronous operation for each subscriber, and publishes its result.
///
/// The operation starts with the subscriber's first request, in a task of its own. Its value is published when it
/// exists, and then the publisher finishes. If the operation throws, the publisher fails with the error. A cancellation
/// of the subscription cancels the task.
///
/// A `Future` with an operation starts it once and shares the result.
///
/// ```swift
/// @Sendable func load(_ name: String) async throws -> String { "contents of \(name)" }
///
/// let contents = DeferredTask { try await load("notes") }
/// let cancellable = contents
///   .retry(2)
///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// ```
///
/// `Failure` is the type of the errors that the closure throws. It is `Never` if the closure does not throw, and `any
/// Error` unless the closure declares another type:
///
/// ```swift
/// let answer = DeferredTask { 42 }  // DeferredTask<Int, Never>
/// let cancellable = answer.sink { print($0) }
/// ```
public struct DeferredTask<Output: Sendable, Failure: Error>: Publisher, Sendable {

  /// The priority of the tasks. With `nil`, it is that of the code that requests.
  public let priority: TaskPriority?

  /// The operation that runs for each subscriber.
  public let operation: @Sendable () async throws(Failure) -> Output

  /// Creates a publisher that runs an asynchronous operation for each subscriber.
  ///
  /// - Parameters:
  ///   - priority: The priority of the tasks. With `nil`, it is that of the code that requests.
  ///   - operation: A closure that returns the value or throws the failure. It runs once for each subscriber.
  @inlinable
  public init(
    priority: TaskPriority? = nil,
    operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.priority = priority
    self.operation = operation
  }

  /// Subscribes `subscriber` to the result of an operation, which starts at the first request.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let operation = DeferredOperation(run: operation)
    ExtraConduits.DeferredTask(downstream: subscriber, priority: priority, operation: operation).open()
  }
}

// MARK: Conduit

// A structure, although it holds only a closure: in a debug build Swift 6.2 fails for `exchange` of an optional function
// that is asynchronous and throws a type of its own.
@usableFromInline
struct DeferredOperation<Output: Sendable, Failure: Error>: Sendable {

  @usableFromInline
  let run: @Sendable () async throws(Failure) -> Output

  @inlinable
  init(run: @escaping @Sendable () async throws(Failure) -> Output) {
    self.run = run
  }
}

extension ExtraConduits {

  @usableFromInline
  final class DeferredTask<Downstream: Subscriber>: QueuedConduit<Downstream>, CustomStringConvertible
  where Downstream.Input: Sendable {

    @usableFromInline
    typealias Operation = DeferredOperation<Downstream.Input, Downstream.Failure>

    @usableFromInline
    let priority: TaskPriority?

    @usableFromInline
    let task = CancellableTask()

    @exclusivity(unchecked)  // These two: only with the lock held, after `init`.
    @usableFromInline
    var hasStarted = false

    @exclusivity(unchecked)
    @usableFromInline
    var operation: Operation?

    @inlinable
    init(downstream: Downstream, priority: TaskPriority?, operation: Operation) {
      self.priority = priority
      self.operation = operation
      super.init(downstream: downstream)
    }

    /// Starts the operation at the first request.
    @inlinable
    override func receive(demand: Subscribers.Demand) {
      guard lock.withLock({ !exchange(&hasStarted, with: true) }) else { return }
      task.start(TaskWork { await self.run() }, priority: priority)
    }

    @inlinable
    func run() async {
      guard let operation = lock.withLock({ exchange(&self.operation, with: nil) }) else { return }
      do throws(Downstream.Failure) {
        send(try await operation.run())
        send(completion: .finished)
      } catch {
        send(completion: .failure(error))
      }
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      let operation = lock.withLock { exchange(&self.operation, with: nil) }
      task.cancel()
      withExtendedLifetime(operation) {}
    }

    @inlinable
    var description: String { "DeferredTask" }
  }
}

// The lock guards the state, and the queue makes one call to the downstream at a time.
extension ExtraConduits.DeferredTask: @unchecked Sendable {}
