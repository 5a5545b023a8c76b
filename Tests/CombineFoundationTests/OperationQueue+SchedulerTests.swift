import CombineFoundation
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite struct OperationQueueSchedulerTests {

  private let queue = LoggingOperationQueue()

  @Test func knowsTheTime() {
    let before = Date()
    let now = queue.now.date
    let after = Date()
    #expect(before <= now)
    #expect(now <= after)
    #expect(queue.minimumTolerance == .zero)
  }

  @Test func anActionForNowIsABlockOperation() throws {
    let log = SharedLog<Int>()
    queue.isSuspended = true
    queue.schedule { log.append(1) }
    #expect(log.values.isEmpty)
    queue.isSuspended = false
    #expect(log.wait(for: 1) == [1])

    #expect(queue.log.values.count == 1)
    let operation = try #require(queue.log.values.first)
    #expect(type(of: operation) == BlockOperation.self)
    operation.main()
    #expect(log.values == [1, 1])
  }

  @Test func actionsForNowRunInOrderOnASerialQueue() {
    let log = SharedLog<Int>()
    queue.maxConcurrentOperationCount = 1
    for number in 0..<100 { queue.schedule { log.append(number) } }
    #expect(log.wait(for: 100) == Array(0..<100))
  }

  @Test func aDelayedActionIsAnOperationThatBecomesReady() throws {
    let log = SharedLog<Date>()
    let date = Date() + 0.3
    queue.schedule(after: .init(date)) { log.append(Date()) }

    #expect(queue.log.values.count == 1)
    let operation = try #require(queue.log.values.first)
    #expect(!(operation is BlockOperation))
    #expect(operation is any Cancellable)
    #expect(!operation.isReady)
    #expect(!operation.isFinished)
    #expect(!operation.isCancelled)
    #expect(!operation.isAsynchronous)
    #expect(log.values.isEmpty)

    #expect(queue.finishesAllOperations())
    let times = log.values
    #expect(times.count == 1)
    #expect(times.allSatisfy { $0 > date - 0.01 })
    #expect(operation.isFinished)
    operation.main()
    #expect(log.values.count == 1)
    #expect(queue.log.values.count == 1)
  }

  @Test func pastDatesMeanSoonButNotAtOnce() {
    let log = SharedLog<Int>()
    queue.isSuspended = true
    queue.schedule(after: .init(.distantPast)) { log.append(1) }
    queue.schedule(after: .init(.distantPast), tolerance: 1) { log.append(2) }
    #expect(log.values.isEmpty)
    queue.isSuspended = false
    #expect(log.wait(for: 2).sorted() == [1, 2])
  }

  @Test func aWaitingOperationDoesNotBlockASerialQueue() {
    let log = SharedLog<Int>()
    queue.maxConcurrentOperationCount = 1
    queue.schedule(after: .init(Date() + 0.1)) { log.append(2) }
    queue.schedule { log.append(1) }
    #expect(log.wait(for: 2) == [1, 2])
  }

  @Test func releasesTheActionAfterItHasRun() {
    let log = SharedLog<Int>()
    weak var weakObject: Object?
    do {
      let object = Object()
      weakObject = object
      queue.schedule(after: queue.now) {
        _ = object
        log.append(1)
      }
    }
    #expect(queue.finishesAllOperations())
    #expect(log.values == [1])
    // The log still has the operation.
    #expect(queue.log.values.count == 1)
    #expect(weakObject == nil)
  }

  @Test func repeatsByAddingAnOperationAfterEachRun() throws {
    let log = SharedLog<(date: Date, operations: Int)>()
    let queue = self.queue
    let date = Date() + 0.1
    let token = queue.schedule(after: .init(date), interval: 0.05) { log.append((Date(), queue.log.values.count)) }
    #expect(token is AnyCancellable)
    #expect(queue.log.values.count == 1)
    #expect(log.values.isEmpty)

    let runs = log.wait(for: 4).prefix(4)
    token.cancel()
    #expect(runs.map(\.operations) == [1, 2, 3, 4], "the next operation is added when the action has run")
    #expect(runs[0].date > date - 0.01)
    for (run, next) in zip(runs, runs.dropFirst()) {
      #expect(next.date > run.date + 0.04)
    }
    #expect(queue.finishesAllOperations())
    let count = log.values.count
    queue.log.values[0].main()
    #expect(log.values.count == count, "an operation that has run is spent")
    let delayed = queue.log.values
    #expect(delayed.allSatisfy { $0 is any Cancellable && !($0 is BlockOperation) })
  }

  @Test func cancellingBetweenRunsStopsAtOnce() throws {
    let log = SharedLog<Int>()
    weak var weakObject: Object?
    let token: any Cancellable
    do {
      let object = Object()
      weakObject = object
      token = queue.schedule(after: .init(Date() + 3600), interval: 3600) {
        _ = object
        log.append(1)
      }
    }
    #expect(weakObject != nil)
    token.cancel()
    #expect(weakObject == nil)
    let operation = try #require(queue.log.values.first)
    #expect(operation.isCancelled)
    // Not an hour: the operation became ready by the cancel.
    #expect(queue.finishesAllOperations())
    #expect(log.values.isEmpty)
    #expect(queue.log.values.count == 1)
  }

  @Test func releasingTheTokenStopsTheRepetition() {
    let log = SharedLog<Int>()
    var token: (any Cancellable)? = queue.schedule(after: queue.now, interval: 0.001) { log.append(1) }
    log.wait(for: 3)
    #expect(token != nil)
    token = nil
    #expect(queue.finishesAllOperations())
    let count = log.values.count
    #expect(queue.log.values.count <= count + 1)
    #expect(queue.operationCount == 0)
  }

  @Test func cancellingInARunLetsItEndAndAddsNoOther() {
    let log = SharedLog<Int>()
    let tokens = SharedLog<any Cancellable>()
    let token = queue.schedule(after: .init(Date() + 0.05), interval: 0.001) {
      log.append(1)
      tokens.wait(for: 1)
      tokens.values[0].cancel()
      log.append(2)
    }
    tokens.append(token)
    #expect(queue.finishesAllOperations())
    #expect(log.values == [1, 2])
    #expect(queue.log.values.count == 1)
  }

  @Test func manyRepetitionsAreCancelledWhileTheyRun() {
    for _ in 0..<200 {
      let log = SharedLog<Int>()
      let token = queue.schedule(after: queue.now, interval: 0) { log.append(1) }
      log.wait(for: 2)
      token.cancel()
    }
    #expect(queue.finishesAllOperations())
    #expect(queue.operationCount == 0)
  }
}

/// An operation queue that logs what is added to it.
private final class LoggingOperationQueue: OperationQueue, @unchecked Sendable {

  let log = SharedLog<Operation>()

  override func addOperation(_ operation: Operation) {
    log.append(operation)
    super.addOperation(operation)
  }
}

extension OperationQueue {

  /// Waits until all operations are finished, or too long.
  ///
  /// - Returns: Whether they are finished.
  fileprivate func finishesAllOperations() -> Bool {
    let log = SharedLog<Void>()
    Thread {
      self.waitUntilAllOperationsAreFinished()
      log.signal()
    }.start()
    return !log.wait(for: 1).isEmpty
  }
}

private final class Object {}
