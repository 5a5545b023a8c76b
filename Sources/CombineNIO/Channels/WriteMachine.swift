#if NIO
  import CombineCore

  /// The pure state of writing a publisher's elements to a channel. It is used with the conduit's lock held.
  ///
  /// Elements that arrive on the channel's event loop are written at once. Others wait in a queue until the loop takes
  /// them. Demand for the upstream is what is left of the window while the channel is writable.
  ///
  /// It is no ``Deliverer``: a write needs no demand, and on the loop it happens inside the arrival of the element.
  @usableFromInline
  struct WriteMachine<Input>: ~Copyable {

    /// The maximum number of elements that are requested or wait in the queue.
    @usableFromInline
    let window: Int

    @usableFromInline
    private(set) var upstream = UpstreamState.awaiting

    /// The number of elements that were requested and have not arrived.
    @usableFromInline
    var outstanding = 0

    /// The elements that have arrived on another thread.
    @usableFromInline
    var queue = Deque<Input>()

    /// Whether the loop was asked to take what is in the queue.
    @usableFromInline
    var isDraining = false

    /// Whether the channel is active and writable.
    @usableFromInline
    private(set) var isWritable = false

    /// The number of writes that are not done.
    @usableFromInline
    var unfinished = 0

    @usableFromInline
    var isUnflushed = false

    /// Whether the loop was asked to flush.
    @usableFromInline
    var isFlushing = false

    /// Whether the loop was asked to request, because the channel has become writable.
    @usableFromInline
    private(set) var isResuming = false

    private var resumptions = 0

    /// The upstream's completion. It waits for the writes.
    @usableFromInline
    private(set) var end: Subscribers.Completion<any Error>?

    /// Whether the subscription was cancelled, has failed or has finished.
    @usableFromInline
    private(set) var hasEnded = false

    @inlinable
    init(window: Int) {
      self.window = window
    }

    // MARK: Demand

    /// Takes the demand that the upstream may be asked for.
    ///
    /// It is asked for half the window at least, so that not every element causes a request.
    @inlinable
    mutating func takeDemand() -> Subscribers.Demand {
      guard isWritable, !isResuming, !hasEnded, end == nil, upstream.isSubscribed else { return .none }
      let room = window - outstanding - queue.count
      guard room > 0, room * 2 >= window else { return .none }
      outstanding += room
      return .max(room)
    }

    /// Takes the demand for a caller that then calls the subscription.
    ///
    /// - Returns: The subscription, if there is anything to request.
    mutating func takeRequest() -> (subscription: any Subscription, demand: Subscribers.Demand)? {
      guard let subscription = upstream.subscription else { return nil }
      let demand = takeDemand()
      return demand == .none ? nil : (subscription, demand)
    }

    // MARK: Upstream

    /// Takes the upstream's subscription.
    ///
    /// - Returns: Whether it is kept. If not, the caller cancels it.
    mutating func accept(_ subscription: any Subscription) -> Bool {
      !hasEnded && upstream.accept(subscription)
    }

    @usableFromInline
    enum Arrival: Equatable {

      /// Write the element, and then call ``WriteMachine/leave()``.
      case write

      /// The element waits. If `wakes` is true, ask the loop to drain the queue. The demand goes to the upstream.
      case queued(wakes: Bool, demand: Subscribers.Demand)

      case dropped
    }

    /// Takes an element.
    ///
    /// - Parameter isOnLoop: Whether this is the channel's event loop.
    @inlinable
    mutating func receive(_ input: Input, isOnLoop: Bool) -> Arrival {
      guard !hasEnded, end == nil else { return .dropped }
      if outstanding > 0 { outstanding -= 1 }
      if isOnLoop && queue.isEmpty {
        noteWrite()
        return .write
      }
      queue.append(input)
      let wakes = !exchange(&isDraining, with: true)
      return .queued(wakes: wakes, demand: takeDemand())
    }

    /// Takes the upstream's completion.
    ///
    /// - Returns: Whether to ask the loop to drain the queue, after which it calls ``takeEnd()``, and the subscription, to
    ///   be released with no lock held.
    mutating func finish(_ completion: Subscribers.Completion<any Error>) -> (wakes: Bool, last: (any Subscription)?) {
      guard !hasEnded, end == nil else { return (false, nil) }
      end = completion
      outstanding = 0
      return (!exchange(&isDraining, with: true), upstream.terminate())
    }

    // MARK: The loop

    enum Resumption: Equatable {
      case none

      /// Call ``WriteMachine/resume()`` after what the loop does now.
      case soon

      /// Call it after the loop has served other channels.
      case afterOthers
    }

    /// Notes whether the channel is active and writable.
    ///
    /// A flush can make the channel writable before it returns. With an upstream that sends inside a request, and a peer
    /// that reads fast, demand at that moment would lead to elements, a flush and demand again, and the loop would do
    /// nothing else. So the loop requests later. Tasks run before it serves channels again, therefore not only by tasks.
    mutating func setWritable(_ isWritable: Bool) -> Resumption {
      let hasBecomeWritable = isWritable && !self.isWritable
      self.isWritable = isWritable
      guard hasBecomeWritable, !isResuming, !hasEnded, end == nil else { return .none }
      isResuming = true
      resumptions += 1
      return resumptions % 64 == 0 ? .afterOthers : .soon
    }

    /// Allows demand again. The caller requests it.
    mutating func resume() {
      isResuming = false
    }

    /// Begins to drain the queue.
    mutating func drain() {
      isDraining = false
    }

    /// Takes the next element to write.
    mutating func next() -> Input? {
      guard let input = queue.popFirst() else { return nil }
      noteWrite()
      return input
    }

    @inlinable
    mutating func noteWrite() {
      unfinished += 1
      isUnflushed = true
    }

    @usableFromInline
    enum Flush: Equatable {
      case none

      /// Flush at once, and call ``WriteMachine/leave()`` again.
      case now

      /// Ask the loop to flush after what it does now.
      case later
    }

    /// Finds what to do after an element was written: nothing more can arrive, so that it is flushed, or more can.
    ///
    /// - Returns: How to flush, and the demand for the upstream, which is none if it is to be flushed at once.
    @inlinable
    mutating func leave() -> (flush: Flush, demand: Subscribers.Demand) {
      let demand = takeDemand()
      if isUnflushed, outstanding == 0, queue.isEmpty, !isWritable || end != nil || hasEnded {
        isUnflushed = false
        return (.now, .none)
      }
      return (isUnflushed && !exchange(&isFlushing, with: true) ? .later : .none, demand)
    }

    /// Begins a flush that was asked for.
    ///
    /// - Returns: Whether there is anything to flush.
    mutating func flush() -> Bool {
      isFlushing = false
      return exchange(&isUnflushed, with: false)
    }

    /// Notes that a write is done.
    mutating func noteDone() {
      unfinished -= 1
    }

    /// Takes the completion if all is written.
    mutating func takeEnd() -> Subscribers.Completion<any Error>? {
      guard !hasEnded, unfinished == 0, queue.isEmpty, let end else { return nil }
      hasEnded = true
      return end
    }

    /// Ends the state: cancelled, or failed.
    ///
    /// - Returns: What to cancel and to release with no lock held, or `nil` if it had ended.
    mutating func terminate() -> (subscription: (any Subscription)?, values: [Input])? {
      guard !hasEnded else { return nil }
      hasEnded = true
      let values = queue.elements
      queue = Deque()
      return (upstream.terminate(), values)
    }
  }
#endif
