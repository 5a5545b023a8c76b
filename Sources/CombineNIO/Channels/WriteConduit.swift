#if NIO
  import CombineThreads
  import NIOCore

  /// The subscriber of a publisher whose elements are written to a channel.
  // Sendable: the lock guards the machine and the receiver. Only the loop uses the handler.
  @usableFromInline
  final class WriteConduit<Input: Sendable, Failure: Error>: Subscriber, Subscription, DescribedByName, ChannelWatcher,
    @unchecked Sendable
  {
    @usableFromInline
    let channel: any Channel

    @usableFromInline
    let eventLoop: any EventLoop

    @usableFromInline
    let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var machine: WriteMachine<Input>

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var receiver: ErasedReceiver<Never>?

    @exclusivity(unchecked)  // Only on the loop.
    private var handler: ChannelWatchingHandler?

    @inlinable
    init(channel: any Channel, window: Int, receiver: ErasedReceiver<Never>) {
      self.channel = channel
      eventLoop = channel.eventLoop
      self.receiver = receiver
      machine = WriteMachine(window: window)
    }

    /// Puts a handler into the pipeline, which tells when the channel is writable.
    @usableFromInline
    func start() {
      onLoop { self.watch() }
    }

    private func watch() {
      guard lock.withLock({ !machine.hasEnded }) else { return }
      let handler = ChannelWatchingHandler(self)
      self.handler = handler
      do {
        try channel.pipeline.syncOperations.addHandler(handler)
      } catch {
        fail(error)
      }
    }

    // MARK: Upstream

    @usableFromInline
    func receive(subscription: any Subscription) {
      guard lock.withLock({ machine.accept(subscription) }) else { return subscription.cancel() }
      requestMore()
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      let isOnLoop = eventLoop.inEventLoop
      switch lock.withLock({ machine.receive(input, isOnLoop: isOnLoop) }) {
      case .write:
        write(input)
        return leave()
      case .queued(let wakes, let demand):
        if wakes { wakeToDrain() }
        return demand
      case .dropped:
        return .none
      }
    }

    @usableFromInline
    func wakeToDrain() {
      eventLoop.execute({ self.drain() }, ifDropped: { self.loopDidDrop() })
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      let completion: Subscribers.Completion<any Error> =
        switch completion {
        case .finished: .finished
        case .failure(let error): .failure(error)
        }
      let (wakes, last) = lock.withLock { machine.finish(completion) }
      withExtendedLifetime(last) {}
      if wakes { onLoop { self.drain() } }
    }

    // MARK: Downstream

    // There are no values to request.
    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("WriteToChannel")
    }

    @usableFromInline
    func cancel() {
      end(by: nil)
    }

    // MARK: The loop

    @usableFromInline
    func channelDidChange(isWritable: Bool) {
      switch lock.withLock({ machine.setWritable(isWritable) }) {
      case .none:
        break
      case .soon:
        eventLoop.execute { self.resume() }
      case .afterOthers:
        // The loop serves its channels once no task is due. The time begins when the present flush, which may take longer,
        // is over.
        eventLoop.execute {
          let scheduler = self.eventLoop.scheduler
          scheduler.schedule(after: scheduler.now.advanced(by: .microseconds(500))) { self.resume() }
        }
      }
    }

    private func resume() {
      lock.withLock { machine.resume() }
      requestMore()
    }

    @usableFromInline
    func channelDidClose() {
      if !completeIfDone() { fail(ChannelError.ioOnClosedChannel) }
    }

    private func requestMore() {
      guard let (subscription, demand) = lock.withLock({ machine.takeRequest() }) else { return }
      subscription.request(demand)
    }

    @inlinable
    func write(_ input: Input) {
      let promise = eventLoop.makePromise(of: Void.self)
      promise.futureResult.whenComplete { self.didWrite($0) }
      channel.write(input, promise: promise)
    }

    @usableFromInline
    func didWrite(_ result: Result<Void, any Error>) {
      lock.withLock { machine.noteDone() }
      switch result {
      case .success: completeIfDone()
      case .failure(let error): fail(error)
      }
    }

    /// Writes what has arrived on other threads.
    @usableFromInline
    func drain() {
      lock.withLock { machine.drain() }
      while let input = lock.withLock({ machine.next() }) { write(input) }
      let demand = leave()
      if demand != .none { lock.withLock { machine.upstream.subscription }?.request(demand) }
      completeIfDone()
    }

    /// Flushes what was written, now or later.
    ///
    /// - Returns: The demand for the upstream.
    @inlinable
    func leave() -> Subscribers.Demand {
      while true {
        let (flush, demand) = lock.withLock { machine.leave() }
        switch flush {
        case .none:
          return demand
        case .later:
          eventLoop.execute { self.flush() }
          return demand
        case .now:
          channel.flush()
        }
      }
    }

    @usableFromInline
    func flush() {
      if lock.withLock({ machine.flush() }) { channel.flush() }
    }

    /// Runs an action on the loop, at once if this is the loop.
    private func onLoop(_ action: @escaping () -> Void) {
      if eventLoop.inEventLoop { return action() }
      eventLoop.execute(action, ifDropped: { self.loopDidDrop() })
    }

    // MARK: The end

    @discardableResult
    private func completeIfDone() -> Bool {
      guard let completion = lock.withLock({ machine.takeEnd() }) else { return false }
      complete(completion)
      return true
    }

    private func fail(_ error: any Error) {
      end(by: error)
    }

    /// The event loop has shut down.
    @usableFromInline
    func loopDidDrop() {
      end(by: EventLoopError.shutdown, isLoopRunning: false)
    }

    /// Cancels the upstream, and drops what waits.
    private func end(by error: (any Error)?, isLoopRunning: Bool = true) {
      guard let (subscription, values) = lock.withLock({ machine.terminate() }) else { return }
      withExtendedLifetime(values) {
        subscription?.cancel()
        complete(error.map { .failure($0) }, isLoopRunning: isLoopRunning)
      }
    }

    /// Drops the downstream after the completion, if there is one, and takes the handler out of the pipeline.
    private func complete(_ completion: Subscribers.Completion<any Error>?, isLoopRunning: Bool = true) {
      let receiver = lock.withLock { exchange(&self.receiver, with: nil) }
      // A loop that has shut down has closed its channels, so no handler is in a pipeline.
      if eventLoop.inEventLoop {
        unwatch()
      } else if isLoopRunning {
        eventLoop.execute { self.unwatch() }
      }
      if let completion { receiver?.complete(completion) }
    }

    private func unwatch() {
      exchange(&handler, with: nil)?.leave(channel.pipeline)
    }

    @usableFromInline
    var description: String { "WriteToChannel" }
  }

  @usableFromInline
  protocol ChannelWatcher: AnyObject {

    /// Called on the loop when the channel has become writable or not. A channel that is not active is not writable.
    func channelDidChange(isWritable: Bool)

    /// Called on the loop when the channel has closed.
    func channelDidClose()
  }

  /// A handler at the end of a pipeline, which passes all events.
  final class ChannelWatchingHandler: ChannelInboundHandler, RemovableChannelHandler {

    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private var watcher: (any ChannelWatcher)?

    init(_ watcher: any ChannelWatcher) {
      self.watcher = watcher
    }

    func handlerAdded(context: ChannelHandlerContext) {
      report(context)
    }

    func channelActive(context: ChannelHandlerContext) {
      report(context)
      context.fireChannelActive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      report(context)
      context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
      exchange(&watcher, with: nil)?.channelDidClose()
      context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      exchange(&watcher, with: nil)?.channelDidClose()
    }

    /// Leaves the pipeline, if it is still in it.
    func leave(_ pipeline: ChannelPipeline) {
      guard exchange(&watcher, with: nil) != nil else { return }
      pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func report(_ context: ChannelHandlerContext) {
      watcher?.channelDidChange(isWritable: context.channel.isActive && context.channel.isWritable)
    }
  }
#endif
