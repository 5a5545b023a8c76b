#if NIO
  import NIOCore

  /// A publisher of what a channel reads; see ``InboundPublisherHandler``.
  ///
  /// - **Demand** makes the channel read. One read cycle can bring more than was requested. The rest waits in the handler,
  ///   and the channel is not read again before it is delivered. The channel's option `maxMessagesPerRead` sets how much
  ///   one cycle brings.
  /// - **Elements** are published on the channel's event loop. Requests may come from any thread.
  /// - **Completion**: it finishes when the peer has closed its direction or the channel has closed, and fails with an
  ///   error of the channel. Both come after the elements that wait. A failure does not close the channel.
  /// - **Cancellation** closes the channel. After the completion it has no effect.
  ///
  /// There is one subscriber. Another one fails with ``InboundPublisherError/alreadySubscribed``.
  ///
  /// When a peer closes, SwiftNIO reads at once what the system has buffered, without being asked. All of it waits in the
  /// handler, which then holds up to the size of the socket's receive buffer.
  ///
  /// ```swift
  /// func countBytes(_ inbound: InboundPublisher<ByteBuffer>) -> AnyCancellable {
  ///   inbound
  ///     .scan(0) { $0 + $1.readableBytes }
  ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// }
  /// ```
  public struct InboundPublisher<Inbound: Sendable>: Publisher, Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = Inbound

    /// The kind of errors this publisher can fail with: those of the channel, and ``InboundPublisherError``.
    public typealias Failure = any Error

    @usableFromInline
    let source: InboundSource<Inbound>

    @usableFromInline
    init(source: InboundSource<Inbound>) {
      self.source = source
    }

    /// Subscribes `subscriber` to what the channel reads. The second subscriber receives a failure.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Inbound, S.Failure == any Error {
      guard source.claim() else {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(InboundPublisherError.alreadySubscribed))
        return
      }
      subscriber.receive(subscription: InboundSubscription(source: source))
      source.open(ErasedReceiver(subscriber))
    }
  }

  /// The errors of an ``InboundPublisher`` that are not the channel's.
  public enum InboundPublisherError: Error, Hashable, Sendable {

    /// The publisher has a subscriber, or had one. What a channel reads is published once.
    case alreadySubscribed
  }

  @usableFromInline
  final class InboundSubscription<Inbound: Sendable>: Subscription, DescribedByName {

    private let source: InboundSource<Inbound>

    @usableFromInline
    init(source: InboundSource<Inbound>) {
      self.source = source
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("InboundPublisher")
      source.request(demand)
    }

    @usableFromInline
    func cancel() {
      source.cancel()
    }

    @usableFromInline
    var description: String { "InboundPublisher" }
  }
#endif
