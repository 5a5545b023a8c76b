import CombineExtras
import CombineTesting
import Dispatch
import TestSupport
import Testing

@Suite struct WindowTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Windows = RecordingSubscriber<WindowPublisher<Int, TestError>, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  /// Subscribes to each window as it opens.
  private final class Members {

    var all: [Downstream] = []

    func windows(requesting demand: Subscribers.Demand = .unlimited) -> Windows {
      let windows = Windows(requesting: demand)
      windows.onValue = { window in
        let member = Downstream(requesting: .unlimited)
        self.all.append(member)
        window.subscribe(member)
        return .none
      }
      return windows
    }
  }

  // MARK: By count

  @Test func windowsByCountFollowOneAnother() {
    let upstream = Upstream()
    let members = Members()
    upstream.window(2).subscribe(members.windows())
    for number in 1...3 { upstream.send(number) }
    #expect(members.all.map(\.values) == [[1, 2], [3]])
    #expect(members.all[0].events.last == .finished)
    upstream.send(completion: .finished)
    #expect(members.all[1].events.suffix(2) == [.value(3), .finished])
  }

  @Test func windowsByCountOverlapOrLeaveGaps() {
    let overlapping = Members()
    let gaps = Members()
    (1...5).publisher.setFailureType(to: TestError.self).window(3, every: 2).subscribe(overlapping.windows())
    (1...5).publisher.setFailureType(to: TestError.self).window(1, every: 3).subscribe(gaps.windows())
    #expect(overlapping.all.map(\.values) == [[1, 2, 3], [3, 4, 5], [5]])
    #expect(gaps.all.map(\.values) == [[1], [4]])
    #expect((overlapping.all + gaps.all).allSatisfy { $0.events.last == .finished })
  }

  @Test func requestsTheElementsThatTheWindowsHold() {
    let upstream = Upstream()
    let windows = Windows(requesting: .max(2))
    upstream.window(3, every: 2).subscribe(windows)
    #expect(upstream.history == [.requested(.max(5))])
    for number in 1...5 { upstream.send(number) }
    #expect(windows.values.count == 2)
    windows.request(.max(1))
    #expect(windows.values.count == 3)
    #expect(upstream.history == [.requested(.max(5)), .requested(.max(2))])
  }

  @Test func windowsThatNeedMoreElementsThanCanBeCountedRequestUnlimited() {
    let upstream = Upstream()
    upstream.window(.max, every: .max).subscribe(Windows(requesting: .max(2)))
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func elementsWaitForTheSubscriberOfTheirWindowAndItsDemand() {
    let upstream = Upstream()
    let windows = Windows(requesting: .unlimited)
    upstream.window(3).subscribe(windows)
    for number in 1...3 { upstream.send(number) }
    let member = Downstream(requesting: .max(2))
    windows.values[0].subscribe(member)
    #expect(member.events.dropFirst() == [.value(1), .value(2)])
    member.request(.max(1))
    #expect(member.events.suffix(2) == [.value(3), .finished])
  }

  @Test func aFailureFailsTheOpenWindowsFirst() {
    let upstream = Upstream()
    let members = Members()
    let windows = members.windows()
    upstream.window(2, every: 1).subscribe(windows)
    var isWindowFirst = false
    windows.onCompletion = { _ in isWindowFirst = members.all.last?.events.last == .failure("wrong") }
    upstream.send(1)
    upstream.send(2)
    upstream.send(completion: .failure("wrong"))
    #expect(members.all[0].events.suffix(2) == [.value(2), .finished])
    #expect(members.all[1].events.suffix(2) == [.value(2), .failure("wrong")])
    #expect(isWindowFirst)
  }

  @Test func aSecondSubscriberOfAWindowGetsAFinishOnly() {
    let upstream = Upstream()
    let windows = Windows(requesting: .unlimited)
    upstream.window(3).subscribe(windows)
    upstream.send(1)
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    windows.values[0].subscribe(first)
    windows.values[0].subscribe(second)
    #expect(second.events.dropFirst() == [.finished])
    upstream.send(2)
    #expect(first.values == [1, 2])
  }

  @Test func aCancelOfAWindowLeavesTheOthers() {
    let upstream = Upstream()
    let members = Members()
    upstream.window(2, every: 1).subscribe(members.windows())
    upstream.send(1)
    members.all[0].cancel()
    upstream.send(2)
    upstream.send(3)
    #expect(members.all.map(\.values) == [[1], [2, 3], [3]])
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test func windowsGoOnAfterTheirPublisherIsCancelled() {
    let upstream = Upstream()
    let members = Members()
    let windows = members.windows()
    upstream.window(3, every: 1).subscribe(windows)
    upstream.send(1)
    windows.cancel()
    #expect(upstream.history == [.requested(.unlimited)])
    upstream.send(2)
    upstream.send(3)
    #expect(members.all.map(\.values) == [[1, 2, 3]])
    #expect(members.all[0].events.last == .finished)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func theCancelOfTheLastWindowReachesTheUpstream() {
    let upstream = Upstream()
    let members = Members()
    let windows = members.windows()
    upstream.window(3).subscribe(windows)
    upstream.send(1)
    windows.cancel()
    members.all[0].cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func aWindowSubscribedToAfterACancelPublishesWhatHasArrived() {
    let upstream = Upstream()
    let windows = Windows(requesting: .unlimited)
    upstream.window(3).subscribe(windows)
    upstream.send(1)
    windows.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    let member = Downstream(requesting: .unlimited)
    windows.values[0].subscribe(member)
    #expect(member.events.dropFirst() == [.value(1), .finished])
  }

  @Test func anElementSentInsideADeliveryComesAfterIt() {
    let subject = PassthroughSubject<Int, TestError>()
    let members = Members()
    let windows = members.windows()
    let subscribe = windows.onValue
    windows.onValue = { window in
      if members.all.isEmpty { subject.send(2) }
      return subscribe(window)
    }
    subject.window(2).subscribe(windows)
    subject.send(1)
    subject.send(3)
    #expect(members.all.map(\.values) == [[1, 2], [3]])
  }

  @Test func releasesEverythingWithAnAbandonedUpstream() {
    var isReleased = false
    do {
      let upstream = Upstream()
      let windows = Windows(onSubscription: { $0.request(.unlimited) }, onDeinit: { isReleased = true })
      upstream.window(3).subscribe(windows)
      upstream.send(1)
      windows.clear()
      windows.dropSubscription()
      upstream.dropSubscriber()
    }
    #expect(isReleased)
  }

  @Test(arguments: [true, false])
  func releasesTheDownstreamAndTheElementsAtTheEnd(_ cancels: Bool) {
    var isReleased = false
    let upstream = Upstream()
    var windows: Windows? = Windows(onSubscription: { $0.request(.unlimited) }, onDeinit: { isReleased = true })
    upstream.window(3).subscribe(windows!)
    upstream.send(1)
    let subscription = windows?.subscription
    if cancels { subscription?.cancel() } else { upstream.send(completion: .finished) }
    upstream.send(2)
    upstream.send(completion: .finished)
    #expect(windows?.values.count == 1)
    windows?.dropSubscription()
    windows = nil
    // The upstream still holds the conduit, and this test the subscription.
    withExtendedLifetime((subscription, upstream)) { #expect(isReleased) }
  }

  @Test func aLateOrSecondSubscriptionIsCancelled() {
    let upstream = Upstream()
    let windows = Windows(requesting: .unlimited)
    upstream.window(3).subscribe(windows)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    windows.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  // MARK: By time

  @Test func windowsByTimeFollowOneAnother() {
    marbles(outputs: ["p": "0a", "q": "0b", "r": "1c", "s": "3d"]) {
      "-a-b--c---------d-|"
      $0[0].window(for: 5, scheduler: $0.scheduler).enumerated()
        .flatMap { window in window.element.map { "\(window.index)\($0)" } }
      "-p-q--r---------s-|"
    }
  }

  @Test func windowsByTimeAndCountOpenAndFinishAtTheirTimes() {
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let members = Members()
    upstream.window(for: 5, maxCount: 2, scheduler: scheduler).subscribe(members.windows())
    #expect(members.all.count == 1)
    scheduler.advance(by: 3)
    upstream.send(1)
    upstream.send(2)
    #expect(members.all.count == 2)
    #expect(members.all[0].events.suffix(3) == [.value(1), .value(2), .finished])
    scheduler.advance(by: 4)
    upstream.send(3)
    #expect(members.all.count == 2)
    scheduler.advance(by: 1)
    #expect(members.all.count == 3)
    #expect(members.all[1].events.suffix(2) == [.value(3), .finished])
    upstream.send(completion: .failure("wrong"))
    #expect(members.all[2].events.dropFirst() == [.failure("wrong")])
  }

  @Test func overlappingWindowsByTimeGetTheSameElements() {
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let members = Members()
    upstream.window(for: 5, every: 3, scheduler: scheduler).subscribe(members.windows())
    for number in 1...8 {
      scheduler.advance(by: 1)
      upstream.send(number)
    }
    #expect(members.all.map(\.values) == [[1, 2, 3, 4], [3, 4, 5, 6, 7], [6, 7, 8]])
    #expect(members.all.map { $0.events.last == .finished } == [true, true, false])
  }

  @Test func aWindowByTimeFinishesAfterItsPublisherIsCancelled() {
    let scheduler = TestScheduler()
    let upstream = Upstream()
    let members = Members()
    let windows = members.windows()
    upstream.window(for: 5, scheduler: scheduler).subscribe(windows)
    windows.cancel()
    upstream.send(1)
    scheduler.resume()
    #expect(scheduler.now == 5)
    #expect(members.all.map { Array($0.events.dropFirst()) } == [[.value(1), .finished]])
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func twoSubscriptionsHaveWindowsOfTheirOwn() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let windows = subject.window(for: 4, scheduler: scheduler)
    let (first, second) = (Members(), Members())
    windows.subscribe(first.windows())
    scheduler.advance(by: 2)
    subject.send(1)
    windows.subscribe(second.windows())
    scheduler.advance(by: 2)
    subject.send(2)
    #expect(first.all.map(\.values) == [[1], [2]])
    #expect(second.all.map(\.values) == [[2]])
  }

  /// A clock that always ticks before the last window is taken. Here it ticks inside of that, as a clock on another thread
  /// may.
  @Test func aFastClockDoesNotKeepTheSubscribingThread() {
    let scheduler = VirtualScheduler()
    let upstream = Upstream()
    var isFast = true
    var opened = 0
    let windows = Windows(requesting: .unlimited)
    windows.onValue = { _ in
      opened += 1
      if isFast, opened < 5000 { scheduler.advance(by: 5) }
      return .none
    }
    upstream.window(for: 5, scheduler: scheduler).subscribe(windows)
    #expect((500...1000).contains(opened))
    // The rest is taken by the ticks that follow, in order.
    isFast = false
    let ticks = scheduler.time.milliseconds / 5
    for _ in 0..<ticks { scheduler.advance(by: 5) }
    #expect(opened == 2 * ticks + 1)
  }

  /// Elements come on one thread while the scheduler opens and closes windows on another one.
  @Test func noElementIsLostWhileTimeRuns() {
    let subject = PassthroughSubject<Int, Never>()
    let log = SharedLog<Int>()
    let scheduler = DispatchQueue(label: "window")
    let isDone = DispatchSemaphore(value: 0)
    let sink = subject.window(for: .microseconds(50), maxCount: 7, scheduler: scheduler)
      .flatMap { $0 }
      .sink { _ in
        isDone.signal()
      } receiveValue: {
        log.append($0)
      }
    onThreads(2) { thread in
      for number in 0..<2000 where number % 2 == thread { subject.send(number) }
    }
    subject.send(completion: .finished)
    // The completion may be left to the scheduler's thread, which is publishing an element.
    #expect(isDone.wait(timeout: .now() + 60) == .success)
    #expect(log.values.sorted() == Array(0..<2000))
    sink.cancel()
  }
}
