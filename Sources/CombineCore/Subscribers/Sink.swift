import CombineThreads
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

    // Written with the lock held, as is the phase. `call(_:)` reads the value closure and the phase without it.

    @exclusivity(unchecked)
    @usableFromInline
    var value: BorrowedFunction<Input>

    @exclusivity(unchecked)
    @usableFromInline
    var completion: (Subscribers.Completion<Failure>) -> Void

    @exclusivity(unchecked)
    @usableFromInline
    var upstream: SubscriptionObject?

    /// The delivery inside which the value closure is called in place: the address that the subscription names, or that of this
    /// property, which stands for the request for unlimited demand.
    ///
    /// A publisher of this package serializes the calls to its subscriber, and the sink relies on that. The operators in
    /// between may be any that pass the subscription on. The thread remembers the delivery that it is in
    /// (``CurrentDelivery``).
    @usableFromInline
    let delivery = Atomic<UInt>(1)  // No address.

    @usableFromInline
    let lock = Lock()

    /// The gate for elements that come outside ``delivery``: from a publisher of others after the request, or from an operator
    /// that hands a value to another thread and waits for it.
    @usableFromInline
    let ownGate = Gate()

    /// Set while the value closure is called in place.
    @usableFromInline
    let callMark = CallMark()

    // Here, as it fits between the gate's end and that of the object. A program may have very many sinks.
    @usableFromInline
    let phase = Atomic<SinkPhase>(.awaiting)

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
    }

    // MARK: The beginning

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

    /// Keeps the subscription, if there is one, and makes the request, unless the sink was connected or has ended before.
    ///
    /// - Returns: Whether it did.
    @inlinable
    @inline(__always)
    func connect(to subscription: @autoclosure () -> SubscriptionObject?, request: () -> Void) -> Bool {
      guard phase.load(ordering: .relaxed) == .awaiting else { return false }
      guard let address = begin(subscription()) else { return false }
      if address == ownDelivery { CurrentDelivery.enter(address, request) } else { request() }
      endRequest()
      return true
    }

    /// The address that stands for the request.
    @inlinable
    @inline(__always)
    var ownDelivery: UnsafeRawPointer { withUnsafePointer(to: delivery) { UnsafeRawPointer($0) } }

    /// Keeps a subscription, if it is the first one.
    ///
    /// - Returns: The delivery that the request belongs to; `nil` if it is not the first one.
    @inlinable
    func begin(_ subscription: SubscriptionObject?) -> UnsafeRawPointer? {
      let address = subscription?._gate ?? ownDelivery
      lock.lock()
      let isFirst = phase.load(ordering: .relaxed) == .awaiting
      if isFirst {
        upstream = subscription
        delivery.store(UInt(bitPattern: address), ordering: .relaxed)
        phase.store(.requesting, ordering: .relaxed)
      }
      lock.unlock()
      return isFirst ? address : nil
    }

    @inlinable
    func endRequest() {
      lock.lock()
      if phase.load(ordering: .relaxed) == .requesting { phase.store(.subscribed, ordering: .relaxed) }
      lock.unlock()
    }

    // MARK: Elements

    /// Calls the value closure with an element.
    ///
    /// - Returns: `.none`, because the demand is unlimited already.
    @inlinable
    @inline(__always)
    public func receive(_ value: Input) -> Subscribers.Demand {
      guard isInsideDelivery else { return receiveOutsideDelivery(value) }
      call(value)
      if hasEnded { releaseValueClosure() }
      return .none
    }

    @inlinable
    @inline(__always)
    var isInsideDelivery: Bool { CurrentDelivery.address == delivery.load(ordering: .relaxed) }

    @inlinable
    @inline(__always)
    var hasEnded: Bool { phase.load(ordering: .sequentiallyConsistent).isEnd }

    /// Calls the value closure in place, unless the sink has ended. The caller then looks for the end once more.
    @inlinable
    @inline(__always)
    func call(_ value: Input) {
      let outer = callMark.begin()
      if !hasEnded { self.value(value) } else { DeliveryReceipt.refuse() }
      callMark.end(outer)
    }

    /// Calls a copy of the value closure with an element that comes outside ``delivery``, inside the sink's own gate.
    ///
    /// It is not inlined, so that ``receive(_:)`` is small enough to be inlined. The loop of a sequence then calls
    /// nothing but closures.
    @inlinable
    @inline(never)
    func receiveOutsideDelivery(_ value: Input) -> Subscribers.Demand {
      let entry = ownGate.enter(unless: { hasEnded })
      guard entry != .refused else { return DeliveryReceipt.refuse() }
      lock.lock()  // Without a function or an optional, either of which would allocate a closure around the copy.
      if hasEnded {
        lock.unlock()
        DeliveryReceipt.refuse()
      } else {
        let function = self.value.function
        lock.unlock()
        function(value)
      }
      if entry == .outermost { ownGate.leave() }
      return .none
    }

    /// Reads a closure, unless the sink has ended.
    @inlinable
    func read<Closure>(_ closure: () -> Closure) -> Closure? {
      lock.withLock { hasEnded ? nil : closure() }
    }

    // MARK: The end

    /// Ends the sink and calls the completion closure, once.
    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) {
      guard let ending = end() else { return }
      let isOutermost = !isInsideDelivery && ownGate.enter()
      takeValueClosure(mayBeCalled: ending.mayBeCalled)?.release()
      ending.completion(completion)
      if isOutermost { ownGate.leave() }
    }

    /// Ends the sink, cancels the upstream and releases the closures.
    ///
    /// It does nothing before a subscription has arrived.
    @inlinable
    public func cancel() {
      if phase.load(ordering: .relaxed) != .awaiting { cancelForGood() }
    }

    /// Does the same as ``cancel()``, and before a subscription has arrived, too: that subscription is then cancelled.
    @inlinable
    package func cancelForGood() {
      guard let ending = end() else { return }
      // First, because the release of the closures may take long.
      ending.upstream?.cancel()
      let value = takeValueClosure(mayBeCalled: ending.mayBeCalled)
      _ = consume ending  // In the order of Combine: the completion closure is released before the value closure.
      value?.release()
    }

    /// What the call that ends the sink takes from it, to be used with the lock free.
    @usableFromInline
    struct Ending {

      @usableFromInline
      let upstream: SubscriptionObject?

      @usableFromInline
      let completion: (Subscribers.Completion<Failure>) -> Void

      /// Whether another thread may be inside the delivery.
      @usableFromInline
      let mayBeCalled: Bool

      @inlinable
      init(
        upstream: SubscriptionObject?,
        completion: @escaping (Subscribers.Completion<Failure>) -> Void,
        mayBeCalled: Bool
      ) {
        self.upstream = upstream
        self.completion = completion
        self.mayBeCalled = mayBeCalled
      }
    }

    /// Steps to `ended`, unless the sink has ended already.
    @inlinable
    func end() -> Ending? {
      lock.lock()
      let last = phase.load(ordering: .relaxed)
      if last.isEnd {
        lock.unlock()
        return nil
      }
      let subscription = exchange(&upstream, with: nil)
      let function = completion  // A generic function would return a closure around it.
      completion = { _ in }
      phase.store(.ended, ordering: .sequentiallyConsistent)
      lock.unlock()
      ownGate.releaseWaiting()
      let mayBeCalled = !isInsideDelivery && (last == .requesting || subscription?._isDelivering == true)
      return Ending(upstream: subscription, completion: function, mayBeCalled: mayBeCalled)
    }

    @inlinable
    @inline(never)
    func releaseValueClosure() { takeValueClosure()?.release() }

    /// Takes the value closure of a sink that has ended, unless a thread is calling it. Then that one takes it.
    ///
    /// - Parameter mayBeCalled: Whether another thread may be inside ``delivery``.
    /// - Returns: The closure, to be released with the lock free, as that release may run code that uses the sink.
    @inlinable
    @inline(never)
    func takeValueClosure(mayBeCalled: Bool = false) -> BorrowedFunction<Input>? {
      if mayBeCalled { CallMark.makeVisible() }
      lock.lock()
      guard phase.load(ordering: .relaxed) == .ended, callMark.isClear else {
        lock.unlock()
        return nil
      }
      phase.store(.released, ordering: .relaxed)
      let taken = exchange(&value, with: BorrowedFunction { _ in })
      lock.unlock()
      return taken
    }

    /// The word `Sink`.
    public var description: String { "Sink" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

    /// The word `Sink`.
    public var playgroundDescription: Any { description }
  }
}

// The lock guards the properties, or they are atomic. The value closure is replaced while no thread calls it in place. The
// caller must make the closures safe. They are called by one thread at a time, because the upstream, like every publisher,
// serializes its calls.
extension Subscribers.Sink: @unchecked Sendable where Input: Sendable {}

/// The state of a ``Subscribers/Sink``, written with its lock held. A completion or a cancellation steps to `ended`.
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

  /// The first subscription is stored, and its request is running.
  @inlinable
  @_transparent
  static var requesting: SinkPhase { SinkPhase(rawValue: 1) }

  /// The request has returned.
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
