#if NIO
  import CombineThreads
  import NIOCore
  import Synchronization

  /// What an ``InboundPublisherHandler`` and its subscription share.
  ///
  /// The state of the input belongs to the channel's event loop and needs no lock. Requests and a cancellation from other
  /// threads, and from before the handler was in a pipeline, wait in a mailbox, which the loop empties.
  // Sendable: the lock guards the mailbox, and only the loop uses the machine, the receiver and the context.
  @usableFromInline
  final class InboundSource<Inbound: Sendable>: @unchecked Sendable {

    @usableFromInline
    typealias Machine = InboundMachine<Inbound>

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var mailbox = Mailbox()

    /// Whether the subscriber has cancelled. A cancellation on another thread stops the next delivery at once.
    @usableFromInline
    let isCancelled = Atomic<Bool>(false)

    @exclusivity(unchecked)  // These three: only on the loop.
    @usableFromInline
    var machine = Machine()

    @exclusivity(unchecked)
    @usableFromInline
    var receiver: ErasedReceiver<Inbound>?

    @exclusivity(unchecked)
    @usableFromInline
    var context: ChannelHandlerContext?

    /// A function that takes a value. It is made where the type of the values is known, and is therefore specialized. The
    /// methods of a channel handler, which a pipeline calls, never are.
    @usableFromInline
    let receive: (InboundSource, Inbound) -> Void

    /// What the loop has not seen yet.
    private struct Mailbox {

      var eventLoop: (any EventLoop)?
      var hasSubscriber = false
      var receiver: ErasedReceiver<Inbound>?
      var demand = Subscribers.Demand.none
      var isCancelled = false

      /// Whether the loop was asked to empty the mailbox, and has not begun.
      var isWaking = false

      /// Whether the subscription has ended. The loop need not know of anything any more, and may have shut down.
      var hasEnded = false
    }

    @inlinable
    init() {
      receive = { source, value in source.perform(source.machine.receive(value)) }
    }

    // MARK: Any thread

    /// Claims the only subscription.
    ///
    /// - Returns: Whether it was free.
    @usableFromInline
    func claim() -> Bool {
      lock.withLock { !exchange(&mailbox.hasSubscriber, with: true) }
    }

    /// Notes that the subscriber has received its subscription.
    @usableFromInline
    func open(_ receiver: ErasedReceiver<Inbound>) {
      let isOpen = lock.withLock {
        if !mailbox.isCancelled { mailbox.receiver = receiver }
        return !mailbox.isCancelled
      }
      if isOpen { wake() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      lock.withLock { mailbox.demand += demand }
      wake()
    }

    @usableFromInline
    func cancel() {
      isCancelled.store(true, ordering: .releasing)
      let receiver = lock.withLock {
        mailbox.isCancelled = true
        return exchange(&mailbox.receiver, with: nil)
      }
      withExtendedLifetime(receiver) { wake() }
    }

    /// Makes the loop empty the mailbox, at once if this is the loop.
    private func wake() {
      guard let eventLoop = lock.withLock({ mailbox.hasEnded ? nil : mailbox.eventLoop }) else { return }
      if eventLoop.inEventLoop { return empty() }
      let isFirst = lock.withLock { !exchange(&mailbox.isWaking, with: true) }
      if isFirst { eventLoop.execute({ self.empty() }, ifDropped: { self.loopDidDrop() }) }
    }

    /// The event loop has shut down. This is called once, as nothing wakes the loop again, and the loop runs nothing.
    private func loopDidDrop() {
      let (waiting, isCancelled) = lock.withLock { (exchange(&mailbox.receiver, with: nil), mailbox.isCancelled) }
      let last = end() ?? waiting
      withExtendedLifetime(machine.cancel()) {
        if !isCancelled { last?.complete(.failure(EventLoopError.shutdown)) }
      }
    }

    // MARK: The loop

    private func empty() {
      let (receiver, demand, isCancelled) = lock.withLock {
        mailbox.isWaking = false
        return (
          exchange(&mailbox.receiver, with: nil), exchange(&mailbox.demand, with: .none), mailbox.isCancelled
        )
      }
      if isCancelled { return perform(machine.cancel()) }
      if let receiver {
        self.receiver = receiver
        perform(machine.open())
      }
      if demand != .none { perform(machine.request(demand)) }
    }

    func attach(_ context: ChannelHandlerContext) {
      let isFirst = lock.withLock { () -> Bool in
        guard mailbox.eventLoop == nil else { return false }
        mailbox.eventLoop = context.eventLoop
        return true
      }
      guard isFirst else {
        fatalError("InboundPublisherHandler: it was added to a second pipeline; make a handler for each channel")
      }
      self.context = context
      if context.channel.isActive { perform(machine.activate()) }
      empty()
    }

    /// Notes that the handler has left the pipeline.
    func detach() {
      close()
      context = nil
    }

    /// Notes that nothing more can be read. A channel that was never active has not been read at all.
    func close() {
      perform(machine.finish(machine.isChannelActive ? .finished : .failure(ChannelError.ioOnClosedChannel)))
    }

    func activate() {
      perform(machine.activate())
    }

    func completeRead() {
      perform(machine.completeRead())
    }

    func finish(_ completion: Subscribers.Completion<any Error>) {
      perform(machine.finish(completion))
    }

    /// The number of values that wait for demand. On the loop only.
    var heldCount: Int { machine.queue.count }

    @inlinable
    func perform(_ first: Machine.Action) {
      var action = first
      while true {
        switch action {
        case .nothing:
          return
        case .read:
          context?.read()
          return
        case .deliver(let value):
          // A cancellation on another thread may be on its way to the loop.
          if let receiver, !isCancelled.load(ordering: .acquiring) {
            action = machine.next(receiver.receive(value))
          } else {
            action = machine.cancel()
          }
        case .complete(let completion):
          let last = end()
          if isCancelled.load(ordering: .acquiring) {
            withExtendedLifetime(last) { context?.close(promise: nil) }
          } else {
            last?.complete(completion)
          }
          return
        case .close(let values):
          let last = end()
          withExtendedLifetime((values, last)) { context?.close(promise: nil) }
          return
        }
      }
    }

    @usableFromInline
    func end() -> ErasedReceiver<Inbound>? {
      lock.withLock { mailbox.hasEnded = true }
      return exchange(&receiver, with: nil)
    }
  }
#endif
