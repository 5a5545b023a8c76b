#if NIO
  import CombineCore
  import NIOCore
  import NIOEmbedded
  import TestSupport
  import Testing

  @testable import CombineNIO

  @Suite struct InboundPublisherHandlerTests {

    private typealias Recorder = RecordingSubscriber<Int, any Error>

    /// A channel with a counter in front of the handler and a log behind it.
    private struct Fixture {

      let channel = EmbeddedChannel()
      let counter = OutboundCounter()
      let handler = InboundPublisherHandler<Int>()
      let log = InboundLog()

      init(isActive: Bool = true) {
        for handler in [counter, handler, log] as [any ChannelHandler] { channel.addHandler(handler) }
        if isActive { channel.activate() }
      }

      /// Ends the read cycle after these values.
      func read(_ values: Int...) {
        for value in values { channel.pipeline.fireChannelRead(value) }
        channel.pipeline.fireChannelReadComplete()
      }
    }

    @Test func readsOnlyWithDemand() {
      let fixture = Fixture()
      let subscriber = Recorder()
      fixture.handler.publisher.subscribe(subscriber)
      #expect(subscriber.events == [.subscription("InboundPublisher")])
      #expect(fixture.counter.reads == 0)
      subscriber.request(.max(2))
      #expect(fixture.counter.reads == 1)
      fixture.read(1)
      #expect(fixture.counter.reads == 2)
      fixture.read(2)
      #expect(fixture.counter.reads == 2)
      #expect(subscriber.values == [1, 2])
    }

    @Test func swallowsTheReadsOfOthers() {
      let fixture = Fixture()
      fixture.channel.read()
      #expect(fixture.counter.reads == 0)
      fixture.handler.publisher.subscribe(Recorder(requesting: .max(1)))
      fixture.channel.read()
      #expect(fixture.counter.reads == 1)
    }

    @Test func holdsWhatACycleBringsBeyondTheDemand() {
      let fixture = Fixture()
      let subscriber = Recorder(requesting: .max(1), returning: [.none, .max(1)])
      fixture.handler.publisher.subscribe(subscriber)
      fixture.read(1, 2, 3, 4)
      #expect(subscriber.values == [1])
      #expect(fixture.handler.source.heldCount == 3)
      subscriber.request(.max(1))
      #expect(subscriber.values == [1, 2, 3], "the second value returned demand for the third")
      #expect(fixture.counter.reads == 1)
      subscriber.request(.max(2))
      #expect(subscriber.values == [1, 2, 3, 4])
      #expect(fixture.counter.reads == 2)
    }

    @Test func readsWhenTheChannelBecomesActive() {
      let fixture = Fixture(isActive: false)
      fixture.handler.publisher.subscribe(Recorder(requesting: .unlimited))
      #expect(fixture.counter.reads == 0)
      fixture.channel.activate()
      #expect(fixture.counter.reads == 1)
    }

    @Test func demandBeforeTheHandlerIsInAPipelineIsKept() {
      let channel = EmbeddedChannel()
      channel.activate()
      let (counter, handler) = (OutboundCounter(), InboundPublisherHandler<Int>())
      let subscriber = Recorder(requesting: .max(1))
      handler.publisher.subscribe(subscriber)
      channel.addHandler(counter)
      channel.addHandler(handler)
      #expect(counter.reads == 1)
      channel.pipeline.fireChannelRead(1)
      #expect(subscriber.values == [1])
    }

    @Test func aCancelBeforeTheHandlerIsInAPipelineClosesTheChannel() {
      let channel = EmbeddedChannel()
      channel.activate()
      let handler = InboundPublisherHandler<Int>()
      let released = SharedLog<Void>()
      do {
        let subscriber = Recorder(onDeinit: { released.signal() })
        handler.publisher.subscribe(subscriber)
        subscriber.cancel()
        subscriber.dropSubscription()
      }
      #expect(released.values.count == 1)
      channel.addHandler(handler)
      #expect(!channel.isActive)
    }

    @Test func whatIsReadWithoutASubscriberWaitsForIt() {
      let fixture = Fixture()
      fixture.read(1, 2)
      fixture.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      let subscriber = Recorder(requesting: .max(1))
      fixture.handler.publisher.subscribe(subscriber)
      #expect(subscriber.events.dropFirst() == [.value(1)])
      subscriber.request(.max(1))
      #expect(subscriber.events.dropFirst() == [.value(1), .value(2), .finished])
    }

    @Test func theSecondSubscriberIsRefused() {
      let fixture = Fixture()
      let (first, second) = (Recorder(), Recorder(requesting: .unlimited))
      fixture.handler.publisher.subscribe(first)
      fixture.handler.publisher.subscribe(second)
      #expect(second.events == [.subscription("Empty"), .failure(InboundPublisherError.alreadySubscribed)])
      #expect(fixture.counter.reads == 0)
      first.request(.max(1))
      fixture.read(1)
      #expect(first.values == [1])
      first.cancel()
      let third = Recorder()
      fixture.handler.publisher.subscribe(third)
      #expect(third.events.last == .failure(InboundPublisherError.alreadySubscribed), "also after the end of the first")
    }

    @Test func cancellingClosesTheChannelAndReleasesTheSubscriber() {
      let fixture = Fixture()
      let released = SharedLog<Void>()
      do {
        let subscriber = Recorder(onSubscription: { $0.request(.max(1)) }, onDeinit: { released.signal() })
        fixture.handler.publisher.subscribe(subscriber)
        fixture.read(1, 2)
        subscriber.cancel()
        subscriber.cancel()
        #expect(subscriber.events.count == 2)
        subscriber.dropSubscription()
      }
      #expect(released.values.count == 1)
      #expect(fixture.counter.closes == 1)
      #expect(!fixture.channel.isActive)
      fixture.channel.embeddedEventLoop.run()
    }

    @Test func cancellingInsideAValueStopsAtOnce() {
      let fixture = Fixture()
      let subscriber = Recorder(requesting: .unlimited)
      subscriber.onValue = { [unowned subscriber] _ in
        subscriber.cancel()
        return .none
      }
      fixture.handler.publisher.subscribe(subscriber)
      fixture.read(1, 2)
      #expect(subscriber.events.dropFirst() == [.value(1)])
      #expect(fixture.counter.closes == 1)
    }

    @Test func closingInsideAValueFinishesAfterWhatIsHeld() {
      let fixture = Fixture()
      let subscriber = Recorder(requesting: .max(1))
      subscriber.onValue = { value in
        if value == 1 { fixture.channel.close(promise: nil) }
        return .max(1)
      }
      fixture.handler.publisher.subscribe(subscriber)
      fixture.read(1)
      #expect(subscriber.events.dropFirst() == [.value(1), .finished])
    }

    @Test func theChannelsEndNeedsNoDemandAndACancelAfterItDoesNothing() {
      let fixture = Fixture()
      let subscriber = Recorder()
      fixture.handler.publisher.subscribe(subscriber)
      fixture.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
      #expect(subscriber.events.dropFirst() == [.finished])
      subscriber.cancel()
      #expect(fixture.counter.closes == 0)
      #expect(fixture.channel.isActive, "a half-closed channel can still be written to")
    }

    @Test func anErrorFailsAfterWhatIsHeldAndLeavesTheChannelOpen() {
      let fixture = Fixture()
      let subscriber = Recorder(requesting: .max(1))
      fixture.handler.publisher.subscribe(subscriber)
      fixture.read(1, 2)
      fixture.channel.pipeline.fireErrorCaught(TestError())
      fixture.read(3)
      #expect(subscriber.values == [1])
      subscriber.request(.unlimited)
      #expect(subscriber.events.dropFirst() == [.value(1), .value(2), .failure(TestError())])
      #expect(fixture.counter.closes == 0)
      #expect(fixture.log.events.contains("error"))
    }

    @Test func theFirstEndCounts() {
      let fixture = Fixture()
      let subscriber = Recorder()
      fixture.handler.publisher.subscribe(subscriber)
      fixture.channel.pipeline.fireErrorCaught(TestError())
      fixture.channel.close(promise: nil)
      fixture.channel.embeddedEventLoop.run()
      #expect(subscriber.events.dropFirst() == [.failure(TestError())])
    }

    @Test func takingTheHandlerOutFinishes() throws {
      let fixture = Fixture()
      let subscriber = Recorder(requesting: .max(1))
      fixture.handler.publisher.subscribe(subscriber)
      fixture.channel.pipeline.syncOperations.removeHandler(fixture.handler, promise: nil)
      fixture.channel.embeddedEventLoop.run()
      #expect(subscriber.events.dropFirst() == [.finished])
      #expect(fixture.channel.isActive)
      fixture.channel.read()
      #expect(fixture.counter.reads == 2, "others can read again")
    }

    @Test func aChannelThatNeverBecameActiveFails() {
      let fixture = Fixture(isActive: false)
      let subscriber = Recorder()
      fixture.handler.publisher.subscribe(subscriber)
      fixture.channel.close(promise: nil)
      fixture.channel.embeddedEventLoop.run()
      #expect(subscriber.events.last == .failure(ChannelError.ioOnClosedChannel))
    }

    @Test func otherEventsPass() {
      let fixture = Fixture()
      fixture.read(1)
      fixture.channel.pipeline.fireUserInboundEventTriggered("event")
      fixture.channel.pipeline.fireChannelWritabilityChanged()
      #expect(fixture.log.events == ["active", "read complete", "event", "writability"])
    }

    @Test func writesPass() throws {
      let fixture = Fixture()
      try fixture.channel.writeOutbound(7)
      #expect(try fixture.channel.readOutbound(as: Int.self) == 7)
    }
  }
#endif
