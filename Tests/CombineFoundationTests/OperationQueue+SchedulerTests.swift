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

  /// An object that is released with the action that holds it.
  private final class Notice: Sendable {
    let log: SharedLog<String>
    let number: Int

    init(_ number: Int, _ log: SharedLog<String>) {
      self.log = log
      self.number = number
    }

    func run() { log.append("\(number) runs") }

    deinit { log.append("\(number) is released") }
  }

  @Test func aCancelledActionIsReleasedBeforeTheNextOneRuns() {
    for _ in 0..<500 {
      let queue = OperationQueue(), log = SharedLog<String>()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      func schedule(_ number: Int) {
        let notice = Notice(number, log)
        queue.schedule { notice.run() }
      }
      for number in 1...3 { schedule(number) }
      queue.cancelAllOperations()
      schedule(4)
      queue.isSuspended = false
      let events = log.wait(for: 5)
      #expect(events[..<4] == ["1 is released", "2 is released", "3 is released", "4 runs"])
      #expect(events.last == "4 is released")
    }
  }

  @Test func aRepetitionWhoseOperationIsCancelledReleasesItsAction() {
    let queue = OperationQueue(), log = SharedLog<String>()
    let token = {
      let notice = Notice(1, log)
      return queue.schedule(after: queue.now.advanced(by: 60), interval: 60) { notice.run() }
    }()
    #expect(log.values == [])
    queue.cancelAllOperations()
    #expect(log.values == ["1 is released"])
    token.cancel()
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

  @Test func actionsForPastDatesRunSoonButNotAtOnce() {
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
    // The log still keeps the operation.
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
    for (number, run) in runs.enumerated() {
      #expect(run.date > date + 0.05 * Double(number) - 0.01, "the dates are an interval apart")
    }
    #expect(queue.finishesAllOperations())
    let count = log.values.count
    queue.log.values[0].main()
    #expect(log.values.count == count, "an operation that has run is spent")
    let delayed = queue.log.values
    #expect(delayed.allSatisfy { $0 is any Cancellable && !($0 is BlockOperation) })
  }

  @Test(.inLongRuns) func theDatesDoNotDriftAndThoseThatHavePassedCountAsOne() {
    let queue = self.queue
    let last = shortestDuration(below: 0.6) {
      let log = SharedLog<Date>()
      let date = Date() + 0.05
      let token = queue.schedule(after: .init(date), interval: 0.05) {
        log.append(Date())
        // The first run takes until after the third date, so one run is for the dates of the second and the third.
        usleep(log.values.count == 1 ? 110_000 : 30_000)
      }
      let runs = log.wait(for: 10).prefix(10)
      token.cancel()
      return runs[9].timeIntervalSince(date)
    }
    #expect(last > 0.49 && last < 0.6, "the tenth run is for the eleventh date: \(last)")
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
    // The test does not wait an hour: the cancel made the operation ready.
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

  @Test func cancellingDuringARunLetsItFinishAndAddsNoOther() {
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

  @Test func usesOnlyTheQueuesAdditionOfOneOperation() {
    let queue = StrictOperationQueue()
    let log = SharedLog<Int>()
    queue.schedule { log.append(1) }
    queue.schedule(after: queue.now) { log.append(2) }
    let token = queue.schedule(after: queue.now, interval: 3600) { log.append(3) }
    log.wait(for: 3)
    // This is the next operation of the repetition.
    queue.calls.wait(for: 4)
    token.cancel()
    #expect(queue.calls.values == Array(repeating: "addOperation", count: 4))
  }

  @Test func cancellingAllOperationsDropsPendingActionsAndEndsRepetitions() {
    let log = SharedLog<Int>()
    let areReleased = (0..<2).map { _ in
      weak var weakObject: Object?
      do {
        let object = Object()
        weakObject = object
        queue.schedule(after: .init(Date() + 3600)) { withExtendedLifetime(object) { log.append(1) } }
      }
      return { weakObject == nil }
    }
    #expect(areReleased.allSatisfy { !$0() })
    let token = queue.schedule(after: .init(Date() + 3600), interval: 0.001) { log.append(2) }
    queue.cancelAllOperations()
    #expect(queue.finishesAllOperations())
    #expect(areReleased.allSatisfy { $0() })
    #expect(log.values.isEmpty)
    #expect(queue.log.values.count == 3)
    token.cancel()
  }

  @Test func actionsForDistantAndInfiniteDatesNeverRun() {
    let log = SharedLog<Int>()
    let dates: [Date] = [.distantFuture, Date(timeIntervalSinceReferenceDate: .infinity)]
    for date in dates { queue.schedule(after: .init(date)) { log.append(1) } }
    let token = queue.schedule(after: .init(dates[1]), interval: .init(.infinity)) { log.append(1) }
    let other = queue.schedule(after: queue.now, interval: .init(.infinity)) { log.append(2) }
    queue.schedule(after: .init(Date() + 0.02)) { log.append(3) }
    #expect(Set(log.wait(for: 2)) == [2, 3])
    token.cancel()
    other.cancel()
    queue.cancelAllOperations()
    #expect(queue.finishesAllOperations())
    #expect(log.values.count == 2)
  }

  @Test @MainActor func theMainQueueRunsActionsOnTheMainThread() async {
    let isCurrent = await withCheckedContinuation { continuation in
      OperationQueue.main.schedule(after: OperationQueue.main.now.advanced(by: 0.001)) {
        MainActor.assertIsolated()
        continuation.resume(returning: OperationQueue.current === OperationQueue.main)
      }
    }
    #expect(isCurrent)
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

/// An operation queue that logs the added operations.
private final class LoggingOperationQueue: OperationQueue, @unchecked Sendable {

  let log = SharedLog<Operation>()

  override func addOperation(_ operation: Operation) {
    log.append(operation)
    super.addOperation(operation)
  }
}

/// An operation queue that logs every call that a subclass can override.
private final class StrictOperationQueue: OperationQueue, @unchecked Sendable {

  let calls = SharedLog<String>()

  override func addOperation(_ operation: Operation) {
    calls.append("addOperation")
    super.addOperation(operation)
  }

  override func addOperation(_ block: @escaping @Sendable () -> Void) {
    calls.append("addOperation with a block")
    super.addOperation(block)
  }

  override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
    calls.append("addOperations")
    super.addOperations(operations, waitUntilFinished: wait)
  }

  override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    calls.append("addBarrierBlock")
    super.addBarrierBlock(barrier)
  }

  override func cancelAllOperations() { calls.append("cancelAllOperations") }
  override func waitUntilAllOperationsAreFinished() { calls.append("waitUntilAllOperationsAreFinished") }

  override var maxConcurrentOperationCount: Int {
    get { logged("maxConcurrentOperationCount", super.maxConcurrentOperationCount) }
    set { calls.append("set maxConcurrentOperationCount") }
  }

  override var isSuspended: Bool {
    get { logged("isSuspended", super.isSuspended) }
    set { calls.append("set isSuspended") }
  }

  override var name: String? {
    get { logged("name", super.name) }
    set { calls.append("set name") }
  }

  override var qualityOfService: QualityOfService {
    get { logged("qualityOfService", super.qualityOfService) }
    set { calls.append("set qualityOfService") }
  }

  override var underlyingQueue: DispatchQueue? {
    get { logged("underlyingQueue", super.underlyingQueue) }
    set { calls.append("set underlyingQueue") }
  }

  private func logged<Value>(_ call: String, _ value: Value) -> Value {
    calls.append(call)
    return value
  }
}

extension OperationQueue {

  /// Waits until all operations are finished, or until a time limit.
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
