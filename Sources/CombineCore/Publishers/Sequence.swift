import CombineThreads
import Synchronization

extension Publishers {

  /// A publisher of the elements of a Swift sequence.
  ///
  /// Each subscriber receives the whole sequence. The elements follow its demand, and the completion follows the last
  /// element immediately.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Elements.Element

    /// The sequence whose elements are published.
    public let sequence: Elements

    /// Creates a publisher of a sequence.
    ///
    /// - Parameter sequence: The sequence whose elements are published.
    @inlinable
    public init(sequence: Elements) {
      self.sequence = sequence
    }

    /// Subscribes `subscriber` and begins a new iteration over the sequence.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Conduits.Sequence.subscribe(
        subscriber,
        to: sequence,
        completion: .finished,
        reflection: .sequence(of: Output.self)
      )
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Publishers.Sequence: Sendable where Elements: Sendable {}

extension Sequence {

  /// A publisher of the elements of this sequence.
  ///
  /// ```swift
  /// marbles { _ in
  ///   ["a", "b", "c"].publisher
  ///   "(abc|)"
  /// }
  /// ```
  @inlinable
  public var publisher: Publishers.Sequence<Self, Never> {
    Publishers.Sequence(sequence: self)
  }
}

// MARK: Machine

/// The pure state of a subscription that delivers available elements in a loop.
///
/// It decides which caller runs the loop, and how far. It is no ``Deliverer``: no element waits, because the loop makes each
/// element when there is demand for it.
@usableFromInline
struct DeliveryLoopMachine {

  /// The demand that the loop has not taken yet.
  private(set) var demand = Subscribers.Demand.none
  private(set) var isDelivering = false
  private(set) var isEnded = false

  /// - Parameter isDelivering: Whether the caller of this initializer runs the loop itself.
  init(isDelivering: Bool = false) {
    self.isDelivering = isDelivering
  }

  /// Adds demand.
  ///
  /// - Returns: Whether the caller must run the loop. It must if there is demand and no loop is running.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard !isEnded else { return false }
    demand += more
    guard !isDelivering, demand > .none else { return false }
    isDelivering = true
    return true
  }

  /// Passes the accumulated demand to the loop. The loop ends if there is none.
  ///
  /// - Returns: The demand, or `nil` after a cancellation. The loop then releases what the subscription holds.
  mutating func takeDemand() -> Subscribers.Demand? {
    let taken = exchange(&demand, with: .none)
    if isEnded || taken == .none { isDelivering = false }
    return isEnded ? nil : taken
  }

  /// Cancels the deliveries.
  ///
  /// - Returns: Whether the caller must release what the subscription holds. It must if it is the first to end the
  ///   deliveries and no loop is running. A running loop releases it at its end.
  mutating func cancel() -> Bool {
    guard !isEnded else { return false }
    isEnded = true
    return !isDelivering
  }

  /// Ends the loop, after the last element or because of a cancellation.
  ///
  /// - Returns: Whether the caller must send the completion, which it must unless the subscription was cancelled.
  mutating func finish() -> Bool {
    isDelivering = false
    guard !isEnded else { return false }
    isEnded = true
    return true
  }
}

// MARK: Conduit

extension Conduits {

  /// The subscription of a sequence or a record. It delivers elements on demand, and then a completion.
  ///
  /// The class is generic neither over the element nor over the downstream. The code that depends on them is in
  /// closures that are made where the types are known. It is therefore specialized, and so is its release. In the
  /// deinitializer of a generic class the release would not be.
  @usableFromInline
  final class Sequence: Subscription {

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var state: DeliveryLoopMachine

    /// The remaining iteration, or `nil` when the deliveries have ended.
    @exclusivity(unchecked)  // Only with the lock held.
    private var pass: Pass?

    /// The closures that depend on the types.
    private struct Pass {

      let loop: Loop

      /// A closure that returns the sequence, for the description and the mirror. It is called with the lock held.
      let sequence: () -> Any
    }

    /// A structure around a closure.
    ///
    /// A bare closure would be wrapped in another one each time it is taken out of an optional or returned by a generic
    /// function.
    private struct Loop {

      /// A closure that runs the loop. It is called by one thread at a time, outside the lock.
      let deliver: (Sequence) -> Void
    }

    /// Set when the deliveries end, so that the loop can see it without the lock.
    @usableFromInline
    let isEnded = Atomic<Bool>(false)

    @usableFromInline
    let reflection: Reflection

    /// The parts of a subscription's description and mirror besides the sequence.
    @usableFromInline
    struct Reflection {

      /// The description after the deliveries have ended.
      @usableFromInline
      let endedDescription: StaticString

      /// A closure that returns the sequence shown then: an empty array of the elements' type.
      @usableFromInline
      let endedSequence: () -> Any

      /// A closure that returns the completion, if the mirror shows one.
      @usableFromInline
      let completion: (() -> Any)?

      @inlinable
      init(
        endedDescription: StaticString,
        endedSequence: @escaping () -> Any,
        completion: (() -> Any)? = nil
      ) {
        self.endedDescription = endedDescription
        self.endedSequence = endedSequence
        self.completion = completion
      }
    }

    /// The position of the loop: one element read in advance, and the iterator over the others.
    ///
    /// The element in advance tells which element is the last.
    @usableFromInline
    struct Position<Iterator: IteratorProtocol> {

      @usableFromInline
      var next: Iterator.Element?

      @usableFromInline
      var rest: Iterator

      @inlinable
      init(next: Iterator.Element, rest: Iterator) {
        self.next = next
        self.rest = rest
      }

      @inlinable
      @inline(__always)
      mutating func advance() -> Iterator.Element {
        let element = next.unsafelyUnwrapped
        next = rest.next()
        return element
      }
    }

    /// A variable of the loop. If the closure captured the variable itself, each use of it would be checked.
    @usableFromInline
    final class Variable<Value> {

      @exclusivity(unchecked)  // Only by the thread that runs the loop.
      @usableFromInline
      var value: Value

      @inlinable
      init(_ value: Value) { self.value = value }
    }

    @usableFromInline
    init(deliver: @escaping (Sequence) -> Void, sequence: @escaping () -> Any, reflection: Reflection) {
      state = DeliveryLoopMachine()
      pass = Pass(loop: Loop(deliver: deliver), sequence: sequence)
      self.reflection = reflection
    }

    /// Creates the subscription for a loop that the caller runs itself.
    @usableFromInline
    init(reflection: Reflection) {
      state = DeliveryLoopMachine(isDelivering: true)
      self.reflection = reflection
    }

    /// Subscribes a downstream to a sequence.
    ///
    /// If the sequence has no elements, the downstream receives the completion immediately.
    @inlinable
    @inline(__always)
    static func subscribe<Elements: Swift.Sequence, Downstream: Subscriber>(
      _ downstream: Downstream,
      to sequence: Elements,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection
    ) where Downstream.Input == Elements.Element {
      var iterator = sequence.makeIterator()
      guard let first = iterator.next() else {
        downstream.receive(subscription: Subscriptions.empty)
        downstream.receive(completion: completion)
        return
      }
      var position: Position<Elements.Iterator>? = Position(next: first, rest: consume iterator)
      if sendAll(from: &position, completion: completion, reflection: reflection, to: downstream) { return }
      downstream.receive(
        subscription: make(
          sequence: sequence,
          position: position.take().unsafelyUnwrapped,
          completion: completion,
          reflection: reflection,
          downstream: downstream
        )
      )
    }

    /// Sends all elements to the downstream, if it accepts them all at once.
    ///
    /// The downstream's code is inlined into the loop.
    ///
    /// - Parameter position: The position at which the loop begins. It is taken if the downstream accepts.
    /// - Returns: Whether the downstream has accepted. If not, nothing has happened.
    @inlinable
    @inline(__always)
    static func sendAll<Iterator: IteratorProtocol, Downstream: Subscriber>(
      from position: inout Position<Iterator>?,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection,
      to downstream: Downstream
    ) -> Bool where Downstream.Input == Iterator.Element {
      var made: Sequence?
      return downstream._receiveAll {
        let conduit = Sequence(reflection: reflection)
        made = conduit
        return conduit
      } _: {
        let conduit = made.unsafelyUnwrapped
        withUnsafePointer(to: downstream) {
          var position = position.take().unsafelyUnwrapped
          _ = send(from: &position, demand: .unlimited, until: conduit, toSubscriberAt: $0)
        }
        if conduit.finish() { downstream.receive(completion: completion) }
      }
    }

    /// Runs the loop, in a separate function: a closure around it would become a thunk, into which the compiler inlines
    /// no C.
    ///
    /// - Parameters:
    ///   - position: Where the loop begins, and then where to continue.
    ///   - demand: The number of elements to send, at least one.
    ///   - pointer: Where the downstream is. It is copied once. Otherwise each iteration would load all of it again.
    /// - Returns: Whether to continue when there is demand. It is `false` after the last element and after a cancel.
    @inlinable
    @inline(never)
    static func send<Iterator: IteratorProtocol, Downstream: Subscriber>(
      from position: inout Position<Iterator>,
      demand: Subscribers.Demand,
      until conduit: Sequence,
      toSubscriberAt pointer: UnsafePointer<Downstream>
    ) -> Bool where Downstream.Input == Iterator.Element {
      let downstream = pointer.pointee
      var demand = demand
      repeat {
        let element = position.advance()
        if conduit.isEnded.load(ordering: .acquiring) { return false }
        let more = downstream.receive(element)
        if !demand.isUnlimited {
          demand -= 1
          if more > .none { demand += more }
        }
        if position.next == nil || conduit.isEnded.load(ordering: .acquiring) { return false }
      } while demand > .none
      return true
    }

    @inlinable
    static func make<Elements: Swift.Sequence, Downstream: Subscriber>(
      sequence: Elements,
      position: Position<Elements.Iterator>,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection,
      downstream: Downstream
    ) -> Sequence where Downstream.Input == Elements.Element {
      // It is emptied when the loop ends. The downstream goes with the closure, when the last call of it returns.
      let rest = Variable(Optional(position))
      let deliver: (Sequence) -> Void = { conduit in
        // The position is in its place before `takeDemand`: without demand another thread may run the loop from then on.
        while let demand = conduit.takeDemand() {
          if demand == .none { return }
          let continues = withUnsafePointer(to: downstream) {
            send(from: &rest.value!, demand: demand, until: conduit, toSubscriberAt: $0)
          }
          if !continues { break }
        }
        let isFinished = conduit.finish()
        rest.value = nil  // Before the completion is sent.
        if isFinished { downstream.receive(completion: completion) }
      }
      return Sequence(deliver: deliver, sequence: { sequence }, reflection: reflection)
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      lock.lock()
      let loop = state.request(demand) ? pass?.loop : nil
      lock.unlock()
      loop?.deliver(self)
    }

    @usableFromInline
    func cancel() {
      let released = lock.withLock {
        isEnded.store(true, ordering: .releasing)
        return state.cancel() ? exchange(&pass, with: nil) : nil
      }
      withExtendedLifetime(released) {}  // Released with the lock free.
    }

    @usableFromInline
    func takeDemand() -> Subscribers.Demand? {
      lock.lock()
      let demand = state.takeDemand()
      lock.unlock()
      return demand
    }

    /// Ends the loop and the deliveries, and releases what the subscription holds.
    ///
    /// - Returns: Whether the caller must send the completion, which it must unless the subscription was cancelled.
    @usableFromInline
    func finish() -> Bool {
      let (isFinished, released) = lock.withLock {
        isEnded.store(true, ordering: .releasing)
        return (state.finish(), exchange(&pass, with: nil))
      }
      withExtendedLifetime(released) {}  // Released with the lock free.
      return isFinished
    }
  }
}

extension Conduits.Sequence.Reflection {

  @inlinable
  static func sequence<Element>(of type: Element.Type) -> Self {
    Self(endedDescription: "Sequence", endedSequence: { [Element]() })
  }

  @inlinable
  static func record<Element, Failure>(of type: Element.Type, completion: Subscribers.Completion<Failure>) -> Self {
    Self(endedDescription: "Cancelled Events", endedSequence: { [Element]() }, completion: { completion })
  }
}

extension Conduits.Sequence: DescribedByName {

  /// The sequence, or `nil` after the deliveries have ended.
  private var reflectedSequence: Any? {
    isEnded.load(ordering: .acquiring) ? nil : lock.withLock { pass?.sequence() }
  }

  @usableFromInline
  var description: String {
    reflectedSequence.map { String(describing: $0) } ?? reflection.endedDescription.description
  }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let sequence = reflectedSequence ?? reflection.endedSequence()
    guard let completion = reflection.completion else { return ["sequence": sequence] }
    return ["sequence": sequence, "completion": completion()]
  }
}
