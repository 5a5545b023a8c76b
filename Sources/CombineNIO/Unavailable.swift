#if !NIO
  // Without the trait the module has nothing else. A user of these names learns why. They have their initializers,
  // because the compiler reports a missing one instead of the unavailable type.

  /// A scheduler that runs actions on an event loop of SwiftNIO. It needs the trait `NIO`.
  @available(*, unavailable, message: "enable the trait NIO of swift-combine")
  public struct NIOEventLoopScheduler {

    /// Creates a scheduler. It needs the trait `NIO`.
    public init(_ eventLoop: Any) {}
  }

  /// A publisher of the result of an `EventLoopFuture`. It needs the trait `NIO`.
  @available(*, unavailable, message: "enable the trait NIO of swift-combine")
  public struct EventLoopFuturePublisher<Value> {}

  /// A channel handler that publishes what the channel reads. It needs the trait `NIO`.
  @available(*, unavailable, message: "enable the trait NIO of swift-combine")
  public final class InboundPublisherHandler<Inbound> {

    /// Creates a handler. It needs the trait `NIO`.
    public init() {}
  }

  /// A publisher of what a channel reads. It needs the trait `NIO`.
  @available(*, unavailable, message: "enable the trait NIO of swift-combine")
  public struct InboundPublisher<Inbound> {}
#endif
