#if NIO
  @testable import CombineNIO
  import NIOCore
  import NIOEmbedded
  import NIOPosix
  import TestSupport
  import Testing

  @Suite struct EventLoopFuturePublisherTests {

    private typealias Recorder = RecordingSubscriber<Int, any Error>

    @Test func publishesTheValueAndFinishes() {
      let promise = EmbeddedEventLoop().makePromise(of: Int.self)
      let subscriber = Recorder(requesting: .max(1))
      promise.futureResult.publisher.subscribe(subscriber)
      #expect(subscriber.events == [.subscription("EventLoopFuture")])
      promise.succeed(1)
      #expect(subscriber.events.dropFirst() == [.value(1), .finished])
    }

    @Test func theValueWaitsForDemand() {
      let promise = EmbeddedEventLoop().makePromise(of: Int.self)
      let subscriber = Recorder()
      promise.futureResult.publisher.subscribe(subscriber)
      promise.succeed(1)
      #expect(subscriber.events.count == 1)
      subscriber.request(.max(1))
      #expect(subscriber.events.dropFirst() == [.value(1), .finished], "before the request returns")
      subscriber.request(.max(1))
      #expect(subscriber.events.count == 3)
    }

    @Test func theErrorNeedsNoDemand() {
      let promise = EmbeddedEventLoop().makePromise(of: Int.self)
      let subscriber = Recorder()
      promise.futureResult.publisher.subscribe(subscriber)
      promise.fail(TestError())
      #expect(subscriber.events.dropFirst() == [.failure(TestError())])
    }

    /// A request, and a subscription, after the end of the loop.
    @Test func aLoopThatHasShutDownFails() throws {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let future = group.next().makeSucceededFuture(1)
      let waiting = Recorder()
      future.publisher.subscribe(waiting)
      try group.syncShutdownGracefully()
      #expect(waiting.events.count == 1)
      waiting.request(.max(1))
      #expect(waiting.events.count == 2)
      #expect(waiting.events.last.map { "\($0)" }?.contains("shutdown") == true)
      let late = Recorder(requesting: .unlimited)
      future.publisher.subscribe(late)
      #expect(late.events.count == 2)
      #expect(late.events.last.map { "\($0)" }?.contains("shutdown") == true)
    }

    @Test func everySubscriberReceivesTheResult() {
      let publisher = EmbeddedEventLoop().makeSucceededFuture(1).publisher
      for _ in 0..<2 {
        let subscriber = Recorder(requesting: .unlimited)
        publisher.subscribe(subscriber)
        #expect(subscriber.events.dropFirst() == [.value(1), .finished])
      }
    }

    @Test func cancellingDropsTheValueAndTheSubscriber() {
      let promise = EmbeddedEventLoop().makePromise(of: Int.self)
      let released = SharedLog<Void>()
      var subscriber: Recorder? = Recorder(onDeinit: { released.signal() })
      promise.futureResult.publisher.subscribe(subscriber!)
      let subscription = subscriber!.subscription!
      subscription.cancel()
      subscriber!.dropSubscription()
      subscriber = nil
      #expect(released.values.count == 1)
      promise.succeed(1)
      subscription.request(.max(1))
    }

    @Test func cancellingInsideTheValueLeavesOutTheCompletion() {
      let subscriber = Recorder(requesting: .unlimited)
      subscriber.onValue = { [unowned subscriber] _ in
        subscriber.cancel()
        return .none
      }
      EmbeddedEventLoop().makeSucceededFuture(1).publisher.subscribe(subscriber)
      #expect(subscriber.events.dropFirst() == [.value(1)])
    }

    @Test func cancellingInsideTheSubscriptionPreventsTheValue() {
      let subscriber = Recorder(onSubscription: {
        $0.request(.unlimited)
        $0.cancel()
      })
      EmbeddedEventLoop().makeSucceededFuture(1).publisher.subscribe(subscriber)
      #expect(subscriber.events.count == 1)
    }

    @Test func publishesOnTheLoopWhoeverRequests() throws {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let log = SharedLog<Bool>()
      let subscriptions = SharedLog<any Subscription>()
      loop.makeSucceededFuture(1).publisher.subscribe(
        RecordingSubscriber(
          onSubscription: { subscriptions.append($0) },
          onValue: { _ in
            log.append(loop.inEventLoop)
            return .none
          },
          onCompletion: { _ in log.append(loop.inEventLoop) }
        )
      )
      try loop.submit {}.wait()  // Now the value is there.
      subscriptions.values[0].request(.max(1))
      #expect(log.wait(for: 2) == [true, true])
    }

    @Test func aRequestAndACancelAndTheValueMayCoincide() throws {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      for _ in 0..<300 {
        let promise = loop.makePromise(of: Int.self)
        let events = SharedLog<Int>()
        let subscriptions = SharedLog<any Subscription>()
        promise.futureResult.publisher.subscribe(
          RecordingSubscriber(
            onSubscription: { subscriptions.append($0) },
            onValue: {
              events.append($0)
              return .none
            },
            onCompletion: { _ in events.append(-1) }
          )
        )
        onThreads(3) { thread in
          switch thread {
          case 0: promise.succeed(1)
          case 1: subscriptions.values[0].request(.max(1))
          default: subscriptions.values[0].cancel()
          }
        }
        try loop.submit {}.wait()
        #expect([[], [1], [1, -1]].contains(events.values))
      }
    }

    @Test func theMachineDeliversOnceInEveryOrder() {
      // r: request, s: success, f: failure, c: cancel, t: take, which the loop does after a request for a held value.
      for first in "rsfct" {
        for second in "rsfct" {
          for third in "rsfct" {
            for fourth in "rsfct" { check([first, second, third, fourth]) }
          }
        }
      }
    }

    private func check(_ events: [Character]) {
      var machine = EventLoopFutureMachine<Int>()
      var hasDemand = false
      var result: Result<Int, any Error>?
      var isOver = false
      var isTaking = false
      for event in events {
        switch event {
        case "r":
          let expected = !isOver && result != nil && !hasDemand
          #expect(machine.request() == expected, "\(events)")
          hasDemand = true
          if expected { isTaking = true }
        case "s", "f":
          let new: Result<Int, any Error> = event == "s" ? .success(1) : .failure(TestError())
          let isDue = !isOver && result == nil && (hasDemand || event == "f")
          #expect((machine.complete(new) != nil) == isDue, "\(events)")
          if !isOver, result == nil { result = new }
          if isDue { isOver = true }
        case "t":
          #expect(machine.take() == (isTaking && !isOver ? 1 : nil), "\(events)")
          if isTaking { isOver = true }
        default:
          _ = machine.cancel()
          isOver = true
        }
      }
    }
  }
#endif
