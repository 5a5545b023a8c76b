import CombineCore
import Foundation
import Synchronization

/// A scheduler with its own threads and no clock. It runs each action as soon as a thread is free, for any date.
///
/// A repeating action repeats until it is cancelled, or never runs if so configured.
public final class ThreadScheduler: Scheduler, @unchecked Sendable {
  // Sendable: all mutable state is used only while the condition's lock is held.

  public typealias SchedulerTimeType = VirtualScheduler.SchedulerTimeType
  public typealias SchedulerOptions = VirtualScheduler.SchedulerOptions

  private let condition = NSCondition()
  private var actions: [() -> Void] = []
  private var running = 0
  private var isFinished = false
  private let workers = DispatchGroup()
  private let firesTimers: Bool

  public init(workers count: Int, firesTimers: Bool = true) {
    self.firesTimers = firesTimers
    for _ in 0..<count {
      workers.enter()
      Thread.detachNewThread { [self] in
        work()
        workers.leave()
      }
    }
  }

  /// Waits until no action is left, and ends the threads.
  public func finish() {
    condition.lock()
    isFinished = true
    condition.broadcast()
    condition.unlock()
    workers.wait()
  }

  /// Waits until no action is left.
  public func drain() {
    condition.lock()
    while !actions.isEmpty || running > 0 { condition.wait() }
    condition.unlock()
  }

  private func work() {
    condition.lock()
    while true {
      if !actions.isEmpty {
        let action = actions.removeFirst()
        running += 1
        condition.unlock()
        action()
        condition.lock()
        running -= 1
        condition.broadcast()
      } else if isFinished && running == 0 {
        break
      } else {
        condition.wait()
      }
    }
    condition.unlock()
  }

  public var now: SchedulerTimeType { 0 }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    condition.lock()
    actions.append(action)
    condition.broadcast()
    condition.unlock()
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    schedule(options: options, action)
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let token = Token()
    if firesTimers { repeatUntilCancelled(token, action) }
    return token
  }

  private func repeatUntilCancelled(_ token: Token, _ action: @escaping () -> Void) {
    schedule(options: nil) { [self] in
      guard !token.isCancelled.load(ordering: .acquiring) else { return }
      action()
      repeatUntilCancelled(token, action)
    }
  }

  private final class Token: Cancellable {
    let isCancelled = Atomic<Bool>(false)
    func cancel() { isCancelled.store(true, ordering: .releasing) }
  }
}
