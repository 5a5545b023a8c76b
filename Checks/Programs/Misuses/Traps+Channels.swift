#if NIO
  import CombineNIO
  import NIOCore
  import NIOEmbedded

  // The mistakes with channels and event loops.

  extension Trap {

    static let channels = [
      zero("InboundPublisher") { InboundPublisherHandler<Int>().publisher },
      zero("WriteToChannel") { [1].publisher.write(to: EmbeddedChannel()) },
      zero("EventLoopFuture") { EmbeddedEventLoop().makeSucceededFuture(1).publisher },
      Trap("WriteToChannel", "window must be positive, is 0") {
        _ = [1].publisher.write(to: EmbeddedChannel(), window: 0)
      },
      Trap("WriteToChannel", "window must be positive, is -1") {
        _ = ExtraPublishers.WriteToChannel(upstream: [1].publisher, channel: EmbeddedChannel(), window: -1)
      },
      Trap("InboundPublisherHandler", "it was added to a second pipeline; make a handler for each channel") {
        let handler = InboundPublisherHandler<Int>()
        let channels = [EmbeddedChannel(), EmbeddedChannel()]
        for channel in channels { try? channel.pipeline.syncOperations.addHandler(handler) }
      },
      Trap("NIOEventLoopScheduler.SchedulerTimeType.Stride.seconds(_:)", "the number of seconds must be a number") {
        _ = NIOEventLoopScheduler.SchedulerTimeType.Stride.seconds(.nan)
      },
    ]
  }
#else
  extension Trap {

    static let channels: [Trap] = []
  }
#endif
