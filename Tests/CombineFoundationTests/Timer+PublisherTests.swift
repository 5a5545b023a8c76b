import CombineFoundation
import Foundation
import TestSupport
import Testing

private typealias Subscriber = RecordingSubscriber<Date, Never>

@Suite struct TimerPublisherTests {

  @Test func publishDropsItsToleranceAndTheInitializerKeepsIt() {
    let published = Timer.publish(every: 1, tolerance: 0.5, on: .main, in: .common)
    #expect(published.interval == 1)
    #expect(published.tolerance == nil)
    #expect(published.runLoop === RunLoop.main)
    #expect(published.mode == .common)
    #expect(published.options == nil)
    let made = Timer.TimerPublisher(interval: 2, tolerance: 0.5, runLoop: .main, mode: .default)
    #expect(made.interval == 2)
    #expect(made.tolerance == 0.5)
    #expect(Timer.TimerPublisher(interval: 2, runLoop: .main, mode: .default).tolerance == nil)
    #expect(!(published as Any is any Equatable))
  }

  @Test func startsOnlyWhenConnectedAndFirstFiresAnIntervalLater() {
    let (early, late, start) = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.03, on: loop, in: .default)
      let subscriber = Subscriber(requesting: .unlimited)
      publisher.subscribe(subscriber)
      loop.run(for: 0.05)
      let early = subscriber.values
      let start = Date()
      let connection = publisher.connect()
      loop.run { subscriber.values.count == 3 }
      connection.cancel()
      loop.run(for: 0.05)
      return (early, subscriber.values, start)
    }
    #expect(early.isEmpty)
    #expect(late.count == 3)
    for (index, date) in late.enumerated() {
      #expect(date >= start + 0.03 * Double(index + 1) - 0.000001)
      #expect(date <= Date())
    }
  }

  @Test func demandIsPerSubscriberAndDatesAreShared() {
    let values = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.005, on: loop, in: .default)
      let five = Subscriber(requesting: .max(2), returning: [.max(1), .max(2)])
      let two = Subscriber(requesting: .max(2))
      let three = Subscriber(requesting: .none)
      for subscriber in [five, two, three] { publisher.subscribe(subscriber) }
      three.request(.none)
      three.request(.max(3))
      let connection = publisher.connect()
      loop.run { five.values.count == 5 }
      loop.run(for: 0.02)
      connection.cancel()
      return [five, two, three].map(\.values)
    }
    #expect(values.map(\.count) == [5, 2, 3])
    #expect(values[1] == Array(values[0].prefix(2)))
    #expect(values[2] == Array(values[0].prefix(3)))
  }

  @Test func aTickWithoutDemandIsDropped() {
    let (count, dates) = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.005, on: loop, in: .default)
      let clock = Subscriber(requesting: .unlimited)
      let subscriber = Subscriber()
      publisher.subscribe(clock)
      publisher.subscribe(subscriber)
      let connection = publisher.connect()
      loop.run { clock.values.count == 3 }
      let count = subscriber.values.count
      subscriber.request(.max(1))
      loop.run { clock.values.count == 6 }
      connection.cancel()
      return (count, [subscriber.values[0], clock.values[3]])
    }
    #expect(count == 0)
    #expect(dates[0] == dates[1])
  }

  @Test func subscribersMayBeAddedWhileItRuns() {
    let values = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.005, on: loop, in: .default)
      let first = Subscriber(requesting: .unlimited)
      let second = Subscriber(requesting: .unlimited)
      publisher.subscribe(first)
      let connection = publisher.connect()
      loop.run { first.values.count == 2 }
      publisher.subscribe(second)
      loop.run { first.values.count == 4 }
      connection.cancel()
      return [first.values, second.values]
    }
    #expect(values[1] == Array(values[0].suffix(2)))
  }

  @Test func aSubscriberAddedOrCancelledDuringATickDoesNotReceiveIt() {
    let (added, cancelled, rounds) = onRunLoopThread { loop in
      var added: [Int] = []
      var cancelled: [Int] = []
      // The order in a tick is not specified. The first of the two cancels the other.
      for _ in 0..<10 {
        let publisher = Timer.publish(every: 0.001, on: loop, in: .default)
        let first = Subscriber(requesting: .unlimited)
        let second = Subscriber(requesting: .unlimited)
        let late = Subscriber(requesting: .unlimited)
        func act(_ other: Subscriber) -> Subscribers.Demand {
          if first.values.count + second.values.count == 1 {
            other.cancel()
            publisher.subscribe(late)
            added.append(late.values.count)
          }
          return .none
        }
        first.onValue = { _ in act(second) }
        second.onValue = { _ in act(first) }
        publisher.subscribe(first)
        publisher.subscribe(second)
        let connection = publisher.connect()
        loop.run { late.values.count == 2 }
        connection.cancel()
        cancelled.append(min(first.values.count, second.values.count))
        added.append(max(first.values.count, second.values.count) - late.values.count - 1)
      }
      return (added, cancelled, cancelled.count)
    }
    #expect(rounds == 10)
    #expect(added == Array(repeating: 0, count: 20))
    #expect(cancelled == Array(repeating: 0, count: 10))
  }

  @Test func aSubscriberMayRequestConnectAndCancelInsideATick() {
    let (count, late) = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.001, on: loop, in: .default)
      var connections: [any Cancellable] = []
      let late = Subscriber(requesting: .unlimited)
      let subscriber = Subscriber(requesting: .max(1))
      subscriber.onValue = { [unowned subscriber] _ in
        switch subscriber.values.count {
        case 1: subscriber.request(.max(2))
        case 2: connections.append(publisher.connect())
        default:
          for connection in connections { connection.cancel() }
          subscriber.cancel()
          publisher.subscribe(late)
          connections = [publisher.connect()]
        }
        return .max(1)
      }
      publisher.subscribe(subscriber)
      connections.append(publisher.connect())
      loop.run { late.values.count == 2 }
      for connection in connections { connection.cancel() }
      return (subscriber.values.count, late.values.count)
    }
    #expect(count == 3)
    #expect(late == 2)
  }

  // One timer alone would take 100 seconds for so many ticks, longer than the loop is run.
  @Test func eachConnectionIsATimer() {
    let count = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.5, on: loop, in: .default)
      let subscriber = Subscriber(requesting: .unlimited)
      publisher.subscribe(subscriber)
      let connections = (0..<200).map { _ in publisher.connect() }
      loop.run { subscriber.values.count >= 200 }
      for connection in connections { connection.cancel() }
      return subscriber.values.count
    }
    #expect(count >= 200)
  }

  @Test func cancellingOneConnectionSilencesTheSubscribersOfAll() {
    let (isQuiet, fresh) = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.02, on: loop, in: .default)
      let subscriber = Subscriber(requesting: .unlimited)
      publisher.subscribe(subscriber)
      let first = publisher.connect()
      let second = publisher.connect()
      loop.run { subscriber.values.count >= 6 }
      first.cancel()
      first.cancel()
      let count = subscriber.values.count
      loop.run(for: 0.06)
      let isQuiet = subscriber.values.count == count
      let fresh = Subscriber(requesting: .unlimited)
      publisher.subscribe(fresh)
      first.cancel()
      loop.run { fresh.values.count == 2 }
      second.cancel()
      let third = publisher.connect()
      loop.run(for: 0.06)
      let isStillQuiet = subscriber.values.count == count
      third.cancel()
      return (isQuiet && isStillQuiet, fresh.values.count)
    }
    #expect(isQuiet)
    #expect(fresh == 2)
  }

  @Test func noCompletionIsSentOnCancel() {
    let events = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.001, on: loop, in: .default)
      let subscriber = Subscriber(requesting: .max(1))
      publisher.subscribe(subscriber)
      let connection = publisher.connect()
      loop.run { subscriber.values.count == 1 }
      connection.cancel()
      subscriber.cancel()
      return subscriber.events.count
    }
    #expect(events == 2)
  }

  @Test func aConnectionIsNotASubscriptionAndDroppingItDoesNotStopTheTimer() {
    let (count, isPlain) = onRunLoopThread { loop in
      let publisher = Timer.publish(every: 0.001, on: loop, in: .default)
      let subscriber = Subscriber(requesting: .unlimited)
      publisher.subscribe(subscriber)
      let isPlain: Bool
      do {
        let connection = publisher.connect()
        isPlain =
          !(connection is any Subscription) && !(connection is any CustomStringConvertible)
          && !(connection is any CustomReflectable) && !(connection is any CustomDebugStringConvertible)
          && !(connection is any CustomPlaygroundDisplayConvertible)
      }
      loop.run { subscriber.values.count == 3 }
      return (subscriber.values.count, isPlain)
    }
    #expect(count == 3)
    #expect(isPlain)
  }

  @Test func aRunningTimerKeepsThePublisherAliveUntilItsConnectionIsCancelled() {
    let (isKept, isReleased, isSubscriberReleased) = onRunLoopThread { loop in
      weak var weakPublisher: Timer.TimerPublisher?
      var isSubscriberReleased = false
      let connection: any Cancellable
      do {
        let publisher = Timer.publish(every: 0.001, on: loop, in: .default)
        weakPublisher = publisher
        let subscriber = Subscriber(requesting: .unlimited)
        let other = Subscriber(onDeinit: { isSubscriberReleased = true })
        publisher.subscribe(subscriber)
        publisher.subscribe(other)
        connection = publisher.connect()
        loop.run { subscriber.values.count == 2 }
        other.dropSubscription()
      }
      let isKept = weakPublisher != nil && !isSubscriberReleased
      connection.cancel()
      return (isKept, weakPublisher == nil, isSubscriberReleased)
    }
    #expect(isKept)
    #expect(isReleased)
    #expect(isSubscriberReleased)
  }

  @Test func cancellingASubscriptionReleasesItsDownstreamOnly() {
    let (isReleased, others, countAfterRequest) = onRunLoopThread { loop in
      var isReleased = false
      var count = 0
      let publisher = Timer.publish(every: 0.001, on: loop, in: .default)
      let other = Subscriber(requesting: .unlimited)
      publisher.subscribe(other)
      let connection = publisher.connect()
      var subscription: (any Subscription)?
      do {
        let subscriber = Subscriber(
          onValue: { _ in
            count += 1
            return .none
          },
          onDeinit: { isReleased = true }
        )
        publisher.subscribe(subscriber)
        subscription = subscriber.subscription
        subscriber.dropSubscription()
      }
      subscription?.cancel()
      subscription?.cancel()
      subscription?.request(.unlimited)
      loop.run { other.values.count >= 3 }
      connection.cancel()
      return (isReleased, other.values.count, count)
    }
    #expect(isReleased)
    #expect(others >= 3)
    #expect(countAfterRequest == 0)
  }

  @Test func theSubscriptionDoesNotKeepThePublisher() {
    weak var weakPublisher: Timer.TimerPublisher?
    let subscriber = Subscriber(requesting: .unlimited)
    do {
      let publisher = Timer.publish(every: 1, on: .main, in: .default)
      weakPublisher = publisher
      publisher.subscribe(subscriber)
    }
    #expect(weakPublisher == nil)
    subscriber.cancel()
  }

  @Test func theSubscriptionHasNoDescription() {
    let publisher = Timer.publish(every: 1, on: .main, in: .default)
    let one = Subscriber()
    let two = Subscriber()
    publisher.subscribe(one)
    publisher.subscribe(two)
    let subscription: Any = one.subscription!
    #expect(!(subscription is NSObject))
    #expect(!(subscription is any CustomStringConvertible))
    #expect(!(subscription is any CustomDebugStringConvertible))
    #expect(!(subscription is any CustomReflectable))
    #expect(!(subscription is any CustomPlaygroundDisplayConvertible))
    #expect(String(describing: one.subscription!) == String(describing: two.subscription!))
    #expect(one.subscription?.combineIdentifier != two.subscription?.combineIdentifier)
  }

  @Test(arguments: [0, -1] as [TimeInterval])
  func aNonpositiveIntervalIsTheShortestOne(interval: TimeInterval) {
    let sleeping = SleepingRunLoop()
    let publisher = Timer.publish(every: interval, on: sleeping.runLoop, in: .default)
    let log = SharedLog<Date>()
    let subscriber = Subscriber(
      onSubscription: { $0.request(.unlimited) },
      onValue: { date in
        log.append(date)
        return .none
      }
    )
    publisher.subscribe(subscriber)
    let start = Date()
    let connection = publisher.connect()
    let dates = log.wait(for: 50).prefix(50)
    connection.cancel()
    #expect(dates.count == 50)
    for (index, date) in dates.enumerated() {
      #expect(date >= start + 0.0001 * Double(index + 1) - 0.000001)
    }
  }

  @Test func anIntervalThatNeverPassesIsAccepted() {
    let counts = onRunLoopThread { loop in
      [TimeInterval.infinity, .greatestFiniteMagnitude, 1e18].map { interval in
        let publisher = Timer.publish(every: interval, on: loop, in: .default)
        let subscriber = Subscriber(requesting: .max(1))
        publisher.subscribe(subscriber)
        let connection = publisher.connect()
        loop.run(for: 0.005)
        connection.cancel()
        return subscriber.values.count
      }
    }
    #expect(counts == [0, 0, 0])
  }

  @Test func autoconnectStartsWithTheFirstSubscriberAndStopsWithTheLast() {
    let (first, quiet, again, start) = onRunLoopThread { loop in
      var first: [Date] = []
      var again: [Date] = []
      let publisher = Timer.publish(every: 0.02, on: loop, in: .default).autoconnect()
      let one = publisher.sink { first.append($0) }
      let two = publisher.sink { _ in }
      two.cancel()
      loop.run { first.count == 3 }
      one.cancel()
      loop.run(for: 0.05)
      let quiet = first.count
      let start = Date()
      let three = publisher.sink { again.append($0) }
      loop.run { again.count == 1 }
      three.cancel()
      return (first, quiet, again, start)
    }
    #expect(first.count == 3)
    #expect(quiet == 3)
    #expect(again[0] >= start + 0.02 - 0.000001, "a new timer first fires an interval later")
  }

  @Test func runsInItsModeOnly() {
    let mode = RunLoop.Mode("TimerPublisherTests")
    let (inDefault, inMode) = onRunLoopThread { loop in
      loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
      let publisher = Timer.publish(every: 0.001, on: loop, in: mode)
      let subscriber = Subscriber(requesting: .unlimited)
      publisher.subscribe(subscriber)
      let connection = publisher.connect()
      loop.run(for: 0.02)
      let inDefault = subscriber.values.count
      loop.run(in: mode) { subscriber.values.count >= 2 }
      connection.cancel()
      return (inDefault, subscriber.values.count)
    }
    #expect(inDefault == 0)
    #expect(inMode >= 2)
  }

  @Test func mayBeConnectedAndCancelledFromAnotherThread() {
    let sleeping = SleepingRunLoop()
    let log = SharedLog<Thread>()
    let publisher = Timer.publish(every: 0.002, on: sleeping.runLoop, in: .default)
    let subscriber = Subscriber(
      onSubscription: { $0.request(.unlimited) },
      onValue: { _ in
        log.append(Thread.current)
        return .none
      }
    )
    publisher.subscribe(subscriber)
    let connection = publisher.connect()
    #expect(log.wait(for: 3, seconds: 10).count >= 3)
    connection.cancel()
    let fence = SharedLog<Int>()
    sleeping.runLoop.schedule { fence.append(log.values.count) }
    let before = fence.wait(for: 1, seconds: 10)
    sleeping.runLoop.schedule(after: .init(Date() + 0.02)) { fence.append(log.values.count) }
    #expect(fence.wait(for: 2, seconds: 10).last == before.first)
    #expect(log.values.allSatisfy { $0 === sleeping.thread })
  }

  @Test func subscribersComeAndGoWhileItRuns() {
    let sleeping = SleepingRunLoop()
    let publisher = Timer.publish(every: 0.0002, on: sleeping.runLoop, in: .default)
    let connection = publisher.connect()
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      for _ in 0..<200 {
        let log = SharedLog<Int>()
        let subscriber = Subscriber(
          onSubscription: { $0.request(.max(1)) },
          onValue: { _ in
            log.append(1)
            return .none
          }
        )
        publisher.subscribe(subscriber)
        log.wait(for: 1)
        subscriber.cancel()
        #expect(log.values == [1])
      }
    }
    connection.cancel()
  }
}
