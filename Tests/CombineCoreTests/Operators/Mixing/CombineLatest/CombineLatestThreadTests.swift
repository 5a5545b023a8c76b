import CombineCore
import Dispatch
import TestSupport
import Testing

/// Tests `combineLatest` with upstreams that send on several threads.
@Suite struct CombineLatestThreadTests {

  private typealias Subject = CurrentValueSubject<Int, TestError>

  /// Sends on each of 2 to 4 upstreams from its own thread.
  ///
  /// - Returns: The published combinations, in order.
  private func rows(of count: Int, sending: Int, slowly: Bool = false) -> [[Int]] {
    let subjects = (0..<count).map { _ in Subject(0) }
    let rows = Guarded<[[Int]]>([])
    let downstream = AnySubscriber<[Int], TestError>(
      receiveSubscription: { $0.request(.unlimited) },
      receiveValue: { row in
        rows.withLock { $0.append(row) }
        // Other threads arrive meanwhile and wait.
        if slowly { for _ in 0..<20 { _ = rows.withLock { $0.count } } }
        return .none
      }
    )
    switch count {
    case 2: subjects[0].combineLatest(subjects[1]) { [$0, $1] }.subscribe(downstream)
    case 3: subjects[0].combineLatest(subjects[1], subjects[2]) { [$0, $1, $2] }.subscribe(downstream)
    default:
      subjects[0].combineLatest(subjects[1], subjects[2], subjects[3]) { [$0, $1, $2, $3] }.subscribe(downstream)
    }
    let shared = subjects
    onThreads(count) { index in
      for value in 1...sending { shared[index].send(value) }
    }
    return rows.withLock { $0 }
  }

  @Test(arguments: 2...4)
  func publishesTheLatestOfEachLastAndLosesNoCombination(count: Int) {
    for round in 0..<200 {
      let rows = rows(of: count, sending: 5, slowly: round % 2 == 0)
      #expect(rows.last == Array(repeating: 5, count: count))
      #expect(rows.count == 1 + 5 * count)
      for (older, newer) in zip(rows, rows.dropFirst()) {
        #expect(zip(older, newer).allSatisfy(<=), "\(newer) came after \(older)")
      }
    }
  }

  @Test func anotherThreadWaitsAndDeliversItsCombination() {
    let (a, b) = (Subject(0), Subject(0))
    let (isInside, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let rows = Guarded<[Int]>([])
    let downstream = AnySubscriber<Int, TestError>(
      receiveSubscription: { $0.request(.unlimited) },
      receiveValue: { row in
        if row == 10 {
          isInside.signal()
          // Lets the other thread wait. The time is too short to fail a correct operator, and long enough to catch a
          // wrong one.
          _ = never.wait(timeout: .now() + .milliseconds(30))
        }
        rows.withLock { $0.append(row) }
        return .none
      }
    )
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(downstream)
    onThreads(2) { thread in
      if thread == 0 {
        a.send(1)
      } else {
        isInside.wait()
        b.send(1)
      }
    }
    #expect(rows.withLock { $0 } == [0, 10, 11])
  }

  @Test func aWaitingThreadReturnsAtOnceWhenTheDownstreamCancels() {
    let (a, b) = (Subject(0), Subject(0))
    let (isInside, hasReturned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    var returnedInTime = false
    downstream.onValue = { [unowned downstream] row in
      guard row == 10 else { return .none }
      isInside.signal()
      downstream.cancel()
      returnedInTime = hasReturned.wait(timeout: .now() + .seconds(60)) == .success
      return .none
    }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(downstream)
    onThreads(2) { thread in
      if thread == 0 {
        a.send(1)
      } else {
        isInside.wait()
        b.send(1)
        hasReturned.signal()
      }
    }
    #expect(returnedInTime)
    #expect(downstream.values == [0, 10])
  }

  // MARK: Releases

  @Test func releasesReplacedValuesAndHeldFailuresWithoutHoldingTheLock() {
    let a = PassthroughSubject<CallsOnDeinit, TestError>()
    let b = PassthroughSubject<Int, TestError>()
    var released = 0
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    a.combineLatest(b) { $1 }.subscribe(downstream)
    b.send(1)
    // A deinitializer that takes the operator's lock would deadlock if the lock were held.
    a.send(
      CallsOnDeinit {
        released += 1
        downstream.request(.max(1))
      }
    )
    a.send(CallsOnDeinit { released += 1 })
    #expect(released == 1)
    downstream.cancel()
    #expect(released == 2)
  }
}
