#if NIO
  import NIOCore

  extension Publisher where Output: Sendable {

    /// Writes each element to a channel, as fast as the channel takes them.
    ///
    /// - **Demand**: the upstream is asked for elements while the channel is active and writable, by at most `window` at a
    ///   time. `Channel.isWritable` depends on the bytes that wait in the channel; see SwiftNIO's `WriteBufferWaterMark`.
    ///   When the channel is not writable, up to `window` elements that were requested before can still arrive. However
    ///   fast the peer reads, the event loop serves its other channels in between.
    /// - **Flushes**: elements that arrive together are flushed together. The channel is flushed when no more elements can
    ///   arrive, and else after what the event loop is doing.
    /// - **Completion**: when the upstream has completed, and all its elements are written, the publisher completes in the
    ///   same way. It fails, and cancels the upstream, if a write fails or the channel closes. It fails with
    ///   `EventLoopError.shutdown` if the channel's event loop has shut down.
    /// - **The channel stays open** after the completion, and after a cancellation. To close it, do so in
    ///   `receiveCompletion`.
    ///
    /// The publisher starts when it is subscribed to, without demand, as it publishes no elements. Elements may come from
    /// any thread. The completion is published on the channel's event loop while that runs. A cancellation drops the elements that are
    /// not written. A pipeline of channel handlers must encode the elements, unless they are of the type `ByteBuffer`.
    ///
    /// The elements and those of other writers are written in the order in which they arrive at the event loop.
    ///
    /// ```swift
    /// func send(_ lines: [String], to channel: any Channel) -> AnyCancellable {
    ///   lines.publisher
    ///     .map { ByteBuffer(string: $0 + "\n") }
    ///     .write(to: channel)
    ///     .sink(receiveCompletion: { _ in channel.close(promise: nil) }, receiveValue: { _ in })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - window: The maximum number of elements that are requested at a time. The default is 16. A large window makes
    ///     an upstream on another thread faster. A small one bounds what the channel must buffer.
    /// - Returns: A publisher that writes the elements, publishes none, and completes when all are written.
    public func write(to channel: any Channel, window: Int = 16) -> ExtraPublishers.WriteToChannel<Self> {
      ExtraPublishers.WriteToChannel(upstream: self, channel: channel, window: window)
    }
  }

  extension ExtraPublishers {

    /// A publisher that writes the elements of another publisher to a channel.
    public struct WriteToChannel<Upstream: Publisher>: Publisher where Upstream.Output: Sendable {

      /// The kind of values this publisher publishes: none.
      public typealias Output = Never

      /// The kind of errors this publisher can fail with: those of the upstream and of the channel.
      public typealias Failure = any Error

      /// The publisher whose elements are written.
      public let upstream: Upstream

      /// The channel.
      public let channel: any Channel

      /// The maximum number of elements that are requested at a time.
      public let window: Int

      /// Creates a publisher that writes another publisher's elements to a channel.
      ///
      /// - Parameters:
      ///   - upstream: The publisher whose elements are written.
      ///   - channel: The channel.
      ///   - window: The maximum number of elements that are requested at a time.
      public init(upstream: Upstream, channel: any Channel, window: Int) {
        requirePositive(window, "WriteToChannel: window")
        self.upstream = upstream
        self.channel = channel
        self.window = window
      }

      /// Subscribes `subscriber` to the completion, and starts to write.
      @inlinable
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Never, S.Failure == any Error {
        let conduit = WriteConduit<Upstream.Output, Upstream.Failure>(
          channel: channel,
          window: window,
          receiver: ErasedReceiver(subscriber)
        )
        subscriber.receive(subscription: conduit)
        conduit.start()
        upstream.subscribe(conduit)
      }
    }
  }

  extension ExtraPublishers.WriteToChannel: Sendable where Upstream: Sendable {}
#endif
