import Synchronization

extension Subscribers {

  /// A subscriber that asks for everything and hands it to closures.
  ///
  /// The operators `sink` make one and return an ``AnyCancellable`` around it.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible
  {
    /// What is called with each value; an empty closure once the sink has ended.
    public var receiveValue: (Input) -> Void { read { value.function } ?? { _ in } }

    /// What is called with the completion, once; an empty closure once the sink has ended.
    public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void { read { completion.function } ?? { _ in } }

    @exclusivity(unchecked)  // After `init`, written only inside `gate` and while `mayReleaseValue`.
    @usableFromInline
    var value: BorrowedFunction<Input>

    @exclusivity(unchecked)  // Written only by the call that ended the sink, while there are no `readers`.
    @usableFromInline
    var completion: BorrowedFunction<Subscribers.Completion<Failure>>

    @exclusivity(unchecked)  // Only by the call that stepped to `connecting`, then by the one that stepped on from it.
    @usableFromInline
    var upstream: (any Subscription)?

    /// The thread that is inside the request for unlimited demand; zero before it and once it has returned.
    ///
    /// That thread calls the value closure without the gate, as nobody else releases the closure meanwhile: values
    /// that arrive inside the request, as those of a sequence do, cost no atomic operation.
    @usableFromInline
    let requestingThread = Atomic<UInt>(0)

    // The small ones are together, as there may be very many sinks.

    /// Held around the closures, so that they are called without being retained: nobody releases them meanwhile.
    @usableFromInline
    let gate = Gate()

    @usableFromInline
    let phase = Atomic<SinkPhase>(.awaiting)

    /// How many threads read a closure to return it. They count themselves first and then look whether the sink has
    /// ended; who ends it looks at this afterwards. So no closure is replaced while it is read.
    @usableFromInline
    let readers = Atomic<UInt8>(0)

    /// Whether the requesting thread is inside the value closure.
    @exclusivity(unchecked)  // Only by that thread.
    @usableFromInline
    var isDelivering = false

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called with the completion, once.
    ///   - receiveValue: Called with each value.
    @inlinable
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      completion = BorrowedFunction(receiveCompletion)
      value = BorrowedFunction(receiveValue)
    }

    /// Keeps the first subscription and asks it for unlimited demand; cancels any other.
    @inlinable
    public func receive(subscription: any Subscription) {
      if !connect(to: subscription, request: { subscription.request(.unlimited) }) { subscription.cancel() }
    }

    /// Has everything sent, unless this sink is or was subscribed.
    @inlinable
    @inline(__always)
    public func _receiveAll(until subscription: () -> (any Subscription)?, _ send: () -> Void) -> Bool {
      connect(to: subscription(), request: send)
    }

    /// Takes the step to `subscribed`, with a subscription to keep or without, and makes the request.
    ///
    /// - Returns: Whether it was the first to connect; if not, nothing has happened.
    @inlinable
    @inline(__always)
    func connect(to subscription: @autoclosure () -> (any Subscription)?, request: () -> Void) -> Bool {
      guard step(from: .awaiting, to: .connecting) else { return false }
      if let subscription = subscription() { upstream = subscription }
      requestingThread.store(Platform.currentThread, ordering: .relaxed)
      if step(from: .connecting, to: .subscribed) {
        request()
      } else {
        // A completion came in between.
        takeUpstream()?.cancel()
      }
      if phase.load(ordering: .acquiring) == .released {
        requestingThread.store(0, ordering: .relaxed)
      } else {
        // Before the look at the phase: who ends the sink changes the phase before looking at this.
        requestingThread.store(0, ordering: .sequentiallyConsistent)
        releaseIfEnded()
      }
      return true
    }

    /// Hands a value to the closure.
    ///
    /// - Returns: `.none`, as the demand is unlimited already.
    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand {
      guard requestingThread.load(ordering: .relaxed) == Platform.currentThread else {
        return receiveOutsideRequest(value)
      }
      let wasDelivering = isDelivering
      isDelivering = true
      if !hasEnded { self.value(value) }
      isDelivering = wasDelivering
      if hasEnded { releaseIfEnded() }
      return .none
    }

    /// Hands a value to the closure inside the gate. Not inlined, so that ``receive(_:)`` is small enough to be: the
    /// loop of a sequence then calls nothing but closures.
    @inlinable
    @inline(never)
    func receiveOutsideRequest(_ value: Input) -> Subscribers.Demand {
      receiveInGate(value)
      return .none
    }

    /// Hands a value to the closure, inside the gate even on the requesting thread: for an upstream that leaves it to
    /// the sink that values come one after the other.
    ///
    /// - Parameter isDue: Whether the value is to be handed over; called inside the gate.
    @inlinable
    @inline(__always)
    func receiveInGate(_ value: Input, if isDue: () -> Bool = { true }) {
      let entry = gate.enter(unless: { hasEnded })
      guard entry != .refused else { return }
      if isDue(), !hasEnded { self.value(value) }
      if entry == .outermost { gate.leave() }
      if hasEnded { releaseIfEnded() }
    }

    /// Runs `body` inside the gate; or not at all, if the connection ends while another thread is inside.
    @inlinable
    func passGate(unless hasEnded: () -> Bool, _ body: () -> Void) {
      gate.pass(unless: hasEnded, body)
      if self.hasEnded { releaseIfEnded() }
    }

    /// Ends the sink and hands the completion to the closure, once.
    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) {
      guard end() else { return }
      gate.releaseWaiting()
      let isOutermost = gate.enter()
      let receiveCompletion = takeCompletionClosure()
      if isOutermost, mayReleaseValue {
        // Released when the empty closure is in its place: what the old one captured may look at it then.
        let oldValue = value.replace(with: { _ in })
        phase.store(.released, ordering: .releasing)
        oldValue.release()
      }
      receiveCompletion(completion)
      guard isOutermost else { return }
      gate.leave()
      releaseIfEnded()
    }

    /// Ends the sink, releases the closures and cancels upstream. Does nothing before a subscription has arrived.
    @inlinable
    public func cancel() {
      guard phase.load(ordering: .acquiring) == .subscribed, step(from: .subscribed, to: .ended) else { return }
      gate.releaseWaiting()
      let subscription = takeUpstream()
      releaseClosures()
      subscription?.cancel()
    }

    /// Steps to `ended` from whatever is not an end, and lets the subscription go.
    @inlinable
    func end() -> Bool {
      var last = phase.load(ordering: .acquiring)
      while !last.isEnd {
        let (isDone, seen) = phase.compareExchange(
          expected: last,
          desired: .ended,
          ordering: .sequentiallyConsistent
        )
        if isDone {
          if last == .subscribed { _ = takeUpstream() }
          return true
        }
        last = seen
      }
      return false
    }

    @inlinable
    func step(from old: SinkPhase, to new: SinkPhase) -> Bool {
      phase.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }

    @inlinable
    func takeUpstream() -> (any Subscription)? {
      exchange(&upstream, with: nil)
    }

    @inlinable
    @inline(__always)
    var hasEnded: Bool {
      phase.load(ordering: .sequentiallyConsistent).isEnd
    }

    /// Reads a closure unless the sink has ended.
    private func read<Closure>(_ closure: () -> Closure) -> Closure? {
      readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let result = hasEnded ? nil : closure()
      readers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      if hasEnded { releaseIfEnded() }
      return result
    }

    /// Puts an empty closure in the place of the completion closure, or leaves that to the end of this object's life if
    /// another thread is just reading it.
    @inlinable
    func takeCompletionClosure() -> BorrowedFunction<Subscribers.Completion<Failure>> {
      guard readers.load(ordering: .sequentiallyConsistent) == 0 else { return BorrowedFunction(completion.function) }
      return completion.replace(with: { _ in })
    }

    /// Whether nobody is inside the value closure or reads it but, perhaps, a thread that is in the gate.
    @inlinable
    var mayReleaseValue: Bool {
      guard readers.load(ordering: .sequentiallyConsistent) == 0 else { return false }
      let thread = requestingThread.load(ordering: .sequentiallyConsistent)
      return thread == 0 || thread == Platform.currentThread && !isDelivering
    }

    /// Releases the value closure if the sink has ended, unless a delivery is running: its end will do it.
    @inlinable
    @inline(never)
    func releaseIfEnded() {
      if phase.load(ordering: .sequentiallyConsistent) == .ended { takeValueClosure().release() }
    }

    /// Releases both closures, for a cancel; the value closure only once no delivery is running.
    @inlinable
    @inline(never)
    func releaseClosures() {
      // Both are replaced before either is released: what they captured may look at them then.
      let oldCompletion = takeCompletionClosure()
      let oldValue = takeValueClosure()
      oldCompletion.release()
      oldValue.release()
    }

    /// Puts an empty closure in the place of the value closure, unless a delivery is running.
    ///
    /// - Returns: The old one, or another empty one, to be released outside the gate: what it captured may call back.
    @inlinable
    @inline(never)
    func takeValueClosure() -> BorrowedFunction<Input> {
      guard mayReleaseValue, gate.tryEnter() else { return BorrowedFunction { _ in } }
      let oldValue = value.replace(with: { _ in })
      phase.store(.released, ordering: .releasing)
      gate.leave()
      return oldValue
    }

    /// `Sink`.
    public var description: String { "Sink" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// `Sink`.
    public var playgroundDescription: Any { description }
  }
}

// Phase, gate and requesting thread are atomic, and what they guard says so. The closures are the caller's to make safe:
// they are called by one thread at a time, as the upstream, like every publisher, serialises what it sends.
extension Subscribers.Sink: @unchecked Sendable where Input: Sendable {}

/// Where a ``Subscribers/Sink`` stands. One call, a completion or a cancel, takes the step to `ended`.
///
/// Not an enumeration: each look at one would begin with a check that the stored byte is one of its cases.
@usableFromInline
struct SinkPhase: BitwiseCopyable, Equatable {

  @usableFromInline
  let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// No subscription has arrived.
  @inlinable
  static var awaiting: SinkPhase { SinkPhase(rawValue: 0) }

  /// The first one is being stored.
  @inlinable
  static var connecting: SinkPhase { SinkPhase(rawValue: 1) }

  /// It is stored, for the call that ends the sink to take.
  @inlinable
  static var subscribed: SinkPhase { SinkPhase(rawValue: 2) }

  /// Values are not passed on any more; the value closure is still to be released.
  @inlinable
  static var ended: SinkPhase { SinkPhase(rawValue: 3) }

  /// The value closure is released, too.
  @inlinable
  static var released: SinkPhase { SinkPhase(rawValue: 4) }

  @inlinable
  var isEnd: Bool { rawValue >= 3 }
}

extension SinkPhase: AtomicRepresentable {

  @usableFromInline
  typealias AtomicRepresentation = UInt8.AtomicRepresentation

  @inlinable
  static func encodeAtomicRepresentation(_ value: consuming SinkPhase) -> AtomicRepresentation {
    UInt8.encodeAtomicRepresentation(value.rawValue)
  }

  @inlinable
  static func decodeAtomicRepresentation(_ representation: consuming AtomicRepresentation) -> SinkPhase {
    SinkPhase(rawValue: UInt8.decodeAtomicRepresentation(representation))
  }
}

extension Publisher {

  /// Attaches a subscriber that asks for everything and calls closures.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher.sink(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) }
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: Called with the completion, once.
  ///   - receiveValue: Called with each value.
  /// - Returns: A cancellable; cancelling or dropping it stops the flow of values.
  @inlinable
  @inline(__always)
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {

  /// Attaches a subscriber that asks for everything and calls a closure with each value.
  ///
  /// - Parameter receiveValue: Called with each value.
  /// - Returns: A cancellable; cancelling or dropping it stops the flow of values.
  @inlinable
  @inline(__always)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
