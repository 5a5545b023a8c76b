import CombineSchedulers
import Dispatch
import Foundation
import Testing

/// The names of combine-schedulers. What they do is tested with the types they stand for, in swift-combine.
@Suite struct StandInTests {

  /// A scheduler with times of its own.
  private struct Frame: Strideable, SchedulerTimeIntervalConvertible, SignedNumeric, Hashable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(integerLiteral value: Int) { number = value }
    init?<T: BinaryInteger>(exactly source: T) { self.init(Int(source)) }
    var magnitude: UInt { number.magnitude }
    func distance(to other: Frame) -> Frame { Frame(other.number - number) }
    func advanced(by n: Frame) -> Frame { Frame(number + n.number) }
    static func < (lhs: Frame, rhs: Frame) -> Bool { lhs.number < rhs.number }
    static func == (lhs: Frame, rhs: Frame) -> Bool { lhs.number == rhs.number }
    static func + (lhs: Frame, rhs: Frame) -> Frame { Frame(lhs.number + rhs.number) }
    static func - (lhs: Frame, rhs: Frame) -> Frame { Frame(lhs.number - rhs.number) }
    static func * (lhs: Frame, rhs: Frame) -> Frame { Frame(lhs.number * rhs.number) }
    static func *= (lhs: inout Frame, rhs: Frame) { lhs = lhs * rhs }
    static func seconds(_ s: Int) -> Frame { Frame(s * 60) }
    static func seconds(_ s: Double) -> Frame { Frame(Int(s * 60)) }
    static func milliseconds(_ ms: Int) -> Frame { seconds(Double(ms) / 1e3) }
    static func microseconds(_ us: Int) -> Frame { seconds(Double(us) / 1e6) }
    static func nanoseconds(_ ns: Int) -> Frame { seconds(Double(ns) / 1e9) }
  }

  @Test func standInsStartAtAFixedTime() {
    let epoch = Date(timeIntervalSince1970: 0)
    #expect(DispatchQueue.test.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(UIScheduler.test.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(OperationQueue.test.now.date == epoch)
    #expect(RunLoop.test.now.date == epoch)
    #expect(DispatchQueue.immediate.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(UIScheduler.immediate.now.dispatchTime.uptimeNanoseconds == 1)
    #expect(OperationQueue.immediate.now.date == epoch)
    #expect(RunLoop.immediate.now.date == epoch)
    #expect(DispatchQueue.test !== DispatchQueue.test)
  }

  @Test func standInsHaveTheNamesOfTheirTypes() {
    let test: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
    let named: TestScheduler<DispatchQueue.SchedulerTimeType, DispatchQueue.SchedulerOptions> = test
    #expect(test === named)
    let immediate: ImmediateSchedulerOf<RunLoop> = RunLoop.immediate
    let _: CombineSchedulers.ImmediateScheduler<RunLoop.SchedulerTimeType, RunLoop.SchedulerOptions> = immediate
    let unimplemented: UnimplementedSchedulerOf<OperationQueue> = OperationQueue.unimplemented
    let _: FailingScheduler<OperationQueue.SchedulerTimeType, OperationQueue.SchedulerOptions> = unimplemented
    let _: FailingSchedulerOf<OperationQueue> = unimplemented
    func now<S: _CombineScheduler>(of scheduler: S) -> S.SchedulerTimeType { scheduler.now }
    #expect(now(of: test) == test.now)
  }

  @Test func aTestSchedulerTakesTimesOfAnyKind() {
    let scheduler = TestScheduler<Frame, Never>(now: 0)
    var times: [Int] = []
    let token = scheduler.schedule(after: 10, interval: .seconds(1)) { times.append(scheduler.now.number) }
    scheduler.advance(by: 100)
    scheduler.advance(to: 130)
    #expect(times == [10, 70, 130])
    token.cancel()
    scheduler.run()
    #expect(scheduler.now == 130)
    #expect(scheduler.minimumTolerance == .zero)
  }

  @Test func repetitionsKeepTheirOrder() {
    let scheduler = DispatchQueue.test
    var values: [Int] = []
    let first = scheduler.schedule(after: scheduler.now, interval: 2) { values.append(1) }
    let second = scheduler.schedule(after: scheduler.now, interval: 1) { values.append(42) }
    #expect(values == [])
    scheduler.advance()
    #expect(values == [1, 42])
    scheduler.advance(by: 1)
    #expect(values == [1, 42, 42])
    scheduler.advance(by: 1)
    #expect(values == [1, 42, 42, 1, 42])
    first.cancel()
    second.cancel()
  }

  @Test func actionsOfAnImmediateSchedulerRunOnceInTheCall() {
    var count = 0
    let scheduler: AnySchedulerOf<DispatchQueue> = .immediate
    scheduler.schedule { count += 1 }
    scheduler.schedule(after: scheduler.now.advanced(by: 10)) { count += 1 }
    scheduler.schedule(after: scheduler.now, interval: 1) { count += 1 }.cancel()
    #expect(count == 3)
    let _: AnySchedulerOf<OperationQueue> = .immediate
    let _: AnySchedulerOf<RunLoop> = .immediate
  }

  /// The messages of the failures of a closure, which are expected.
  private func failures(_ body: () -> Void) -> [String] {
    nonisolated(unsafe) var messages: [String] = []  // Only this thread uses it.
    withKnownIssue {
      body()
    } matching: { issue in
      messages += issue.comments.map(\.rawValue)
      return true
    }
    return messages
  }

  @Test func anUnimplementedSchedulerFailsAndThenRunsTheAction() {
    var count = 0
    let queue = DispatchQueue.unimplemented
    #expect(queue.prefix == "DispatchQueue")
    let messages = failures {
      queue.schedule { count += 1 }
      queue.schedule(after: queue.now, tolerance: queue.minimumTolerance, options: nil) { count += 1 }
      queue.schedule(after: .init(.now()), interval: 1, tolerance: 0, options: nil) { count += 1 }.cancel()
    }
    #expect(count == 3)
    #expect(messages.count == 5)
    #expect(Set(messages).count == 5)
    #expect(messages.allSatisfy { $0.hasPrefix("DispatchQueue - ") })
  }

  @Test func anUnimplementedSchedulerSaysItsPrefix() {
    #expect(OperationQueue.unimplemented.prefix == "OperationQueue")
    #expect(RunLoop.unimplemented.prefix == "RunLoop")
    #expect(RunLoop.unimplemented("loop").prefix == "loop")
    #expect(RunLoop.failing.prefix == "RunLoop")
    #expect(OperationQueue.failing("no").prefix == "no")
    func message(of scheduler: AnyScheduler<some Any, some Any>) -> [String] {
      failures { scheduler.schedule(options: nil) {} }
    }
    #expect(message(of: AnySchedulerOf<DispatchQueue>.unimplemented)[0].hasPrefix("DispatchQueue - "))
    #expect(message(of: AnySchedulerOf<RunLoop>.unimplemented("why"))[0].hasPrefix("why - "))
    #expect(message(of: AnySchedulerOf<OperationQueue>.failing)[0].hasPrefix("OperationQueue - "))
    #expect(message(of: AnySchedulerOf<OperationQueue>.failing("why"))[0].hasPrefix("why - "))
    let bare = UnimplementedSchedulerOf<DispatchQueue>(now: DispatchQueue.test.now)
    #expect(!failures { bare.schedule {} }[0].contains(" - "))
  }

  @available(*, deprecated)
  @Test func formerNamesStillWork() {
    #expect(DispatchQueue.testScheduler.now == DispatchQueue.test.now)
    #expect(RunLoop.immediateScheduler.now == RunLoop.immediate.now)
    #expect(OperationQueue.testScheduler.now == OperationQueue.test.now)
  }
}
