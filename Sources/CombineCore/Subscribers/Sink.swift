import CCombinePlatform
import Synchronization

extension Subscribers {

  /// A subscriber that requests unlimited demand and calls closures.
  ///
  /// The `sink` operators create a sink and return an ``AnyCancellable`` around it.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible
  {
    /// The closure called with each element, or an empty closure after the sink has completed or was cancelled.
    public var receiveValue: (Input) -> Void { read { value.function } ?? { _ in } }

    /// The closure called once with the completion, or an empty closure after the sink has completed or was cancelled.
    public var receiveCompletion: (Subscribers.Completion<Failure>) -> Void { read { completion } ?? { _ in } }

    @exclusivity(unchecked)  // After `init`, written only by `takeValueClosure()`.
    @usableFromInline
    var value: BorrowedFunction<Input>

    @exclusivity(unchecked)  // Written only by the call that ended the sink, while there are no `readers`.
    @usableFromInline
    var completion: (Subscribers.Completion<Failure>) -> Void

    @exclusivity(unchecked)  // Only by the call that stepped to `connecting`, then by the one that stepped on from it.
    @usableFromInline
    var upstream: SubscriptionObject?

    /// The thread that is inside the request for unlimited demand, if the subscription has no gate.
    ///
    /// It is zero before that request and after it has returned.
    ///
    /// That thread calls the value closure without a gate, because no other thread releases the closure meanwhile.
    /// Elements that arrive within the request, such as those of a sequence, therefore cost no atomic
    /// read-modify-write.
    @usableFromInline
    let requestingThread = Atomic<UInt>(0)

    /// The delivery inside which the value closure is called without entering a gate: the address that the subscription names,
    /// or that of ``requestingThread``.
    ///
    /// A publisher of this package serializes the calls to its subscriber, and the sink relies on that. The operators in
    /// between may be any that pass the subscription on. The thread remembers the delivery that it is in
    /// (``CurrentDelivery``).
    ///
    /// An operator in between may also hand a value to another thread, and wait for it. That thread enters the sink's own gate.
    @usableFromInline
    let delivery = Atomic<UInt>(0)

    // The small properties are adjacent, because a program may have very many sinks.

    /// The gate for elements that come outside ``delivery``. Inside it the value closure is released.
    @usableFromInline
    let ownGate = Gate()

    @usableFromInline
    let phase = Atomic<SinkPhase>(.awaiting)

    /// The number of threads that are reading a closure in order to return it.
    ///
    /// No closure is replaced while a thread reads it, because at least one of two threads sees what the other has
    /// written:
    ///
    ///     reading thread                        ending thread
    ///     increments `readers`                  sets `phase` to `ended`
    ///     loads `phase`                         loads `readers`
    ///     reads the closure, unless ended       replaces the closure, if that is zero
    @usableFromInline
    let readers = Atomic<UInt8>(0)

    /// One while the value closure is being called inside ``delivery``, otherwise zero. Only the thread inside writes it.
    @usableFromInline
    let isCalling = Atomic<UInt8>(0)

    /// Creates a sink from two closures.
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure that is called once, with the completion.
    ///   - receiveValue: A closure that is called with each element.
    @inlinable
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      completion = receiveCompletion
      value = BorrowedFunction(receiveValue)
      delivery.store(UInt(bitPattern: ownDelivery), ordering: .relaxed)
    }

    @inlinable
    @inline(__always)
    var ownDelivery: UnsafeRawPointer { withUnsafePointer(to: requestingThread) { UnsafeRawPointer($0) } }

    /// Whether the publisher serializes the calls.
    @inlinable
    var isSerialized: Bool {
      UnsafeRawPointer(bitPattern: delivery.load(ordering: .sequentiallyConsistent)) != ownDelivery
    }

    /// Keeps the first subscription and requests unlimited demand from it.
    ///
    /// It cancels any further subscription.
    @inlinable
    public func receive(subscription: any Subscription) {
      // The closure would copy the subscription itself, and so retain it.
      let object = subscription._object
      if !connect(to: object, request: { object.request(.unlimited) }) { object.cancel() }
    }

    /// Has the publisher send all elements and the completion now, unless this sink is or was subscribed.
    @inlinable
    @inline(__always)
    public func _receiveAll(until subscription: () -> (any Subscription & AnyObject)?, _ send: () -> Void) -> Bool {
      connect(to: subscription(), request: send)
    }

    /// Steps to `subscribed`, keeps the subscription if there is one, and makes the request.
    ///
    /// - Returns: Whether this call connected the sink. If not, nothing has happened, because it was connected before.
    @inlinable
    @inline(__always)
    func connect(to subscription: @autoclosure () -> SubscriptionObject?, request: () -> Void) -> Bool {
      guard step(from: .awaiting, to: .connecting) else { return false }
      var isSerialized = false
      if let subscription = subscription() {
        if let gate = subscription._gate {
          delivery.store(UInt(bitPattern: gate), ordering: .releasing)  // Before the step to `subscribed`.
          isSerialized = true
        }
        upstream = subscription
      }
      if !isSerialized { requestingThread.store(Platform.currentThread, ordering: .relaxed) }
      if step(from: .connecting, to: .subscribed) {
        if isSerialized { request() } else { CurrentDelivery.enter(ownDelivery, request) }
      } else {
        // A completion has arrived in between.
        takeUpstream()?.cancel()
      }
      if isSerialized { return true }
      if phase.load(ordering: .acquiring) == .released {
        requestingThread.store(0, ordering: .relaxed)
      } else {
        // The thread is reset before the phase is loaded. A call that ends the sink writes the phase first. So at least
        // one of the two threads sees the other's write, and releases the value closure:
        //
        //     requesting thread                     ending thread
        //     sets `requestingThread` to zero       sets `phase` to `ended`
        //     loads `phase`                         loads `requestingThread`
        requestingThread.store(0, ordering: .sequentiallyConsistent)
        releaseIfEnded()
      }
      return true
    }

    /// Calls the value closure with an element.
    ///
    /// - Returns: `.none`, because the demand is unlimited already.
    @inlinable
    @inline(__always)
    public func receive(_ value: Input) -> Subscribers.Demand {
      guard CurrentDelivery.address == delivery.load(ordering: .relaxed) else { return receiveOutsideDelivery(value) }
      call(value)
      if hasEnded { releaseIfEnded() }
      return .none
    }

    /// Calls the value closure, unless the sink has ended.
    ///
    /// The thread that ends the sink may release the closure while this one is inside the gate, but not while it is calling:
    ///
    ///     calling thread                        ending thread
    ///     sets `isCalling`                      sets `phase` to `ended`
    ///                                           all threads execute a fence
    ///     loads `phase`                         loads `isCalling`
    ///     calls the closure, unless ended       releases the closure, unless calling
    @inlinable
    @inline(__always)
    func call(_ value: Input) {
      let wasCalling = isCalling.load(ordering: .relaxed)
      isCalling.store(1, ordering: .relaxed)
      combine_fence_light()
      if !hasEnded { self.value(value) } else { DeliveryReceipt.refuse() }
      isCalling.store(wasCalling, ordering: .releasing)
      combine_fence_light()  // The caller loads the phase once more.
    }

    /// Calls the value closure with an element that comes outside ``delivery``, inside the sink's own gate.
    ///
    /// It is not inlined, so that ``receive(_:)`` is small enough to be inlined. The loop of a sequence then calls
    /// nothing but closures.
    @inlinable
    @inline(never)
    func receiveOutsideDelivery(_ value: Input) -> Subscribers.Demand {
      let entry = ownGate.enter(unless: { hasEnded })
      guard entry != .refused else { return DeliveryReceipt.refuse() }
      if !hasEnded { self.value(value) } else { DeliveryReceipt.refuse() }
      if entry == .outermost { ownGate.leave() }
      if hasEnded { releaseIfEnded(mayBeCalled: true) }
      return .none
    }

    /// Ends the sink and calls the completion closure, once.
    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) {
      guard let last = end() else { return }
      let subscription = last == .subscribed ? takeUpstream() : nil
      ownGate.releaseWaiting()
      let isInside = isSerialized && CurrentDelivery.address == delivery.load(ordering: .relaxed)
      let isOutermost = !isInside && ownGate.enter()
      let receiveCompletion = takeCompletionClosure()
      let mayBeCalled = !isInside && subscription?._isDelivering != false
      takeValueClosure(mayBeCalled: mayBeCalled, holdsOwnGate: isOutermost).release()
      receiveCompletion(completion)
      guard isOutermost else { return }
      ownGate.leave()
      releaseIfEnded(mayBeCalled: true)
    }

    /// Ends the sink, cancels the upstream and releases the closures.
    ///
    /// It does nothing before a subscription has arrived.
    @inlinable
    public func cancel() {
      guard phase.load(ordering: .acquiring) == .subscribed, step(from: .subscribed, to: .ended) else { return }
      finishCancel(subscription: takeUpstream())
    }

    /// Does the same as ``cancel()``, and before a subscription has arrived, too: that subscription is then cancelled.
    @inlinable
    package func cancelForGood() {
      guard let last = end() else { return }
      finishCancel(subscription: last == .subscribed ? takeUpstream() : nil)
    }

    @inlinable
    func finishCancel(subscription: SubscriptionObject?) {
      ownGate.releaseWaiting()
      // First, because the release of the closures may take long.
      subscription?.cancel()
      releaseClosures(mayBeCalled: subscription?._isDelivering != false)
    }

    /// Steps to `ended`, unless the sink has ended already.
    ///
    /// - Returns: The phase before. If it was `subscribed`, the caller takes the subscription. A call that is just storing
    ///   the subscription finds the end, and cancels the subscription.
    @inlinable
    func end() -> SinkPhase? {
      var last = phase.load(ordering: .acquiring)
      while !last.isEnd {
        let (isDone, seen) = phase.compareExchange(
          expected: last,
          desired: .ended,
          ordering: .sequentiallyConsistent
        )
        if isDone { return last }
        last = seen
      }
      return nil
    }

    @inlinable
    func step(from old: SinkPhase, to new: SinkPhase) -> Bool {
      phase.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }

    @inlinable
    func takeUpstream() -> SubscriptionObject? {
      exchange(&upstream, with: nil)
    }

    @inlinable
    @inline(__always)
    var hasEnded: Bool {
      phase.load(ordering: .sequentiallyConsistent).isEnd
    }

    /// Reads a closure, unless the sink has ended.
    private func read<Closure>(_ closure: () -> Closure) -> Closure? {
      readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let result = hasEnded ? nil : closure()
      readers.wrappingSubtract(1, ordering: .sequentiallyConsistent)
      if hasEnded { releaseIfEnded(mayBeCalled: true) }
      return result
    }

    /// Replaces the completion closure with an empty one.
    ///
    /// The closure stays until this object is deallocated if another thread is just reading it.
    @inlinable
    func takeCompletionClosure() -> (Subscribers.Completion<Failure>) -> Void {
      let taken = completion
      if readers.load(ordering: .sequentiallyConsistent) == 0 { completion = { _ in } }
      return taken
    }

    /// Releases the value closure if the sink has ended.
    ///
    /// If a delivery is running, its end releases the closure instead.
    @inlinable
    @inline(never)
    func releaseIfEnded(mayBeCalled: Bool = false) {
      guard phase.load(ordering: .sequentiallyConsistent) == .ended else { return }
      takeValueClosure(mayBeCalled: mayBeCalled).release()
    }

    /// Releases both closures after a cancellation.
    ///
    /// The value closure stays until no delivery is running.
    @inlinable
    @inline(never)
    func releaseClosures(mayBeCalled: Bool) {
      // Both closures are replaced before either is released, because that release may run code that reads the
      // properties.
      takeValueClosure(beforeReleaseOf: takeCompletionClosure(), mayBeCalled: mayBeCalled).release()
    }

    // Not inlined, so that the closure lives until it returns.
    @inlinable
    @inline(never)
    func takeValueClosure(
      beforeReleaseOf oldCompletion: (Subscribers.Completion<Failure>) -> Void,
      mayBeCalled: Bool
    ) -> BorrowedFunction<Input> {
      takeValueClosure(mayBeCalled: mayBeCalled)
    }

    /// Replaces the value closure with an empty one, unless a thread is calling it or reading it.
    ///
    /// - Parameters:
    ///   - mayBeCalled: Whether another thread may be inside ``delivery``.
    ///   - holdsOwnGate: Whether this thread has entered the sink's own gate.
    /// - Returns: The old closure, or an empty one. The caller releases it after this, because that release may run code
    ///   that reads the property.
    @inlinable
    @inline(never)
    func takeValueClosure(mayBeCalled: Bool = false, holdsOwnGate: Bool = false) -> BorrowedFunction<Input> {
      guard readers.load(ordering: .sequentiallyConsistent) == 0 else { return BorrowedFunction { _ in } }
      if isSerialized {
        // See `call(_:)`.
        if mayBeCalled, CurrentDelivery.address != delivery.load(ordering: .relaxed) { Platform.fenceAllThreads() }
        guard isCalling.load(ordering: .acquiring) == 0 else { return BorrowedFunction { _ in } }
      } else {
        let thread = requestingThread.load(ordering: .sequentiallyConsistent)
        guard thread == 0 || thread == Platform.currentThread && isCalling.load(ordering: .relaxed) == 0 else {
          return BorrowedFunction { _ in }
        }
      }
      guard holdsOwnGate || ownGate.enterUnlessOccupied() else { return BorrowedFunction { _ in } }
      defer { if !holdsOwnGate { ownGate.leave() } }
      guard phase.load(ordering: .acquiring) == .ended else { return BorrowedFunction { _ in } }
      let old = exchange(&value, with: BorrowedFunction { _ in })
      phase.store(.released, ordering: .releasing)
      return old
    }

    /// The word `Sink`.
    public var description: String { "Sink" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// The word `Sink`.
    public var playgroundDescription: Any { description }
  }
}

// The phase, the gate and the requesting thread are atomic, and the properties that they guard say so. The caller must
// make the closures safe. They are called by one thread at a time, because the upstream, like every publisher,
// serializes its calls.
extension Subscribers.Sink: @unchecked Sendable where Input: Sendable {}

/// The state of a ``Subscribers/Sink``. Exactly one call, a completion or a cancellation, steps to `ended`.
///
/// This is not an enum. Each read of an enum would first check that the stored byte is one of its cases.
@usableFromInline
struct SinkPhase: BitwiseCopyable, Equatable {

  @usableFromInline
  let rawValue: UInt8

  @inlinable
  @_transparent
  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// No subscription has arrived.
  @inlinable
  @_transparent
  static var awaiting: SinkPhase { SinkPhase(rawValue: 0) }

  /// The first subscription is being stored.
  @inlinable
  @_transparent
  static var connecting: SinkPhase { SinkPhase(rawValue: 1) }

  /// The subscription is stored. The call that ends the sink takes it.
  @inlinable
  @_transparent
  static var subscribed: SinkPhase { SinkPhase(rawValue: 2) }

  /// Elements are dropped. The value closure is not released yet.
  @inlinable
  @_transparent
  static var ended: SinkPhase { SinkPhase(rawValue: 3) }

  /// The value closure is released, too.
  @inlinable
  @_transparent
  static var released: SinkPhase { SinkPhase(rawValue: 4) }

  @inlinable
  @_transparent
  var isEnd: Bool { rawValue >= 3 }

  // A debug build would call the one that the compiler makes.
  @inlinable
  @_transparent
  static func == (lhs: SinkPhase, rhs: SinkPhase) -> Bool { lhs.rawValue == rhs.rawValue }
}

extension SinkPhase: AtomicRepresentable {

  @usableFromInline
  typealias AtomicRepresentation = UInt8.AtomicRepresentation

  @inlinable
  @_transparent
  static func encodeAtomicRepresentation(_ value: consuming SinkPhase) -> AtomicRepresentation {
    UInt8.encodeAtomicRepresentation(value.rawValue)
  }

  @inlinable
  @_transparent
  static func decodeAtomicRepresentation(_ representation: consuming AtomicRepresentation) -> SinkPhase {
    SinkPhase(rawValue: UInt8.decodeAtomicRepresentation(representation))
  }
}

extension Publisher {

  /// Subscribes with unlimited demand and calls closures with the elements and the completion.
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher.sink(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) }
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: A closure that is called once, with the completion.
  ///   - receiveValue: A closure that is called with each element.
  /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements. A subscription that arrives
  ///   afterwards is cancelled.
  @inlinable
  @inline(__always)
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable { sink.cancelForGood() }
  }
}

extension Publisher where Failure == Never {

  /// Subscribes with unlimited demand and calls a closure with each element.
  ///
  /// - Parameter receiveValue: A closure that is called with each element.
  /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements. A subscription that arrives
  ///   afterwards is cancelled.
  @inlinable
  @inline(__always)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
