import Synchronization

extension Publishers {

  /// A publisher of the elements of a Swift sequence.
  ///
  /// Each subscriber gets the whole sequence, as it asks for elements, and the completion right after the last one.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Elements.Element

    /// The sequence that is published.
    public let sequence: Elements

    /// Creates a publisher of a sequence.
    ///
    /// - Parameter sequence: The sequence to publish.
    @inlinable
    public init(sequence: Elements) {
      self.sequence = sequence
    }

    /// Attaches a subscriber and begins a new pass over the sequence.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      Conduits.Sequence.attach(subscriber, to: sequence, completion: .finished, reflection: .sequence(of: Output.self))
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

// MARK: State

/// The pure state of a subscription that delivers, in a loop, what it has already: who may run the loop, and how far.
@usableFromInline
struct DeliveryLoopState {

  /// Demand that the loop has not taken yet.
  private(set) var demand = Subscribers.Demand.none
  private(set) var isDelivering = false
  private(set) var isEnded = false

  /// - Parameter isDelivering: Whether the loop is run by whoever made this.
  init(isDelivering: Bool = false) {
    self.isDelivering = isDelivering
  }

  /// Adds demand.
  ///
  /// - Returns: Whether the caller is to run the loop: nobody is, and there is something to do.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard !isEnded else { return false }
    demand += more
    guard !isDelivering, demand > .none else { return false }
    isDelivering = true
    return true
  }

  /// Hands the demand gathered so far to the loop, which ends with none.
  ///
  /// - Returns: The demand; `nil` when somebody cancelled, so that the loop is to release what is held.
  mutating func takeDemand() -> Subscribers.Demand? {
    let taken = exchange(&demand, with: .none)
    if isEnded || taken == .none { isDelivering = false }
    return isEnded ? nil : taken
  }

  /// Ends the deliveries.
  ///
  /// - Returns: Whether the caller is to release what is held: it is the first to end them, and no loop is running,
  ///   which would do it at its end.
  mutating func cancel() -> Bool {
    guard !isEnded else { return false }
    isEnded = true
    return !isDelivering
  }

  /// Ends the loop, after the last element or because somebody cancelled.
  ///
  /// - Returns: Whether the completion is to be sent: nobody cancelled.
  mutating func finish() -> Bool {
    isDelivering = false
    guard !isEnded else { return false }
    isEnded = true
    return true
  }
}

// MARK: Conduit

extension Conduits {

  /// The subscription of a sequence and of a record: delivers elements as they are asked for, then a completion.
  ///
  /// The class knows neither the elements' nor the downstream's type. What depends on them is in closures that are
  /// made where the types are known: so all of it is specialised, the release of it too, which in the deinitialiser of
  /// a generic class it would not be.
  @usableFromInline
  final class Sequence: Subscription {

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var state: DeliveryLoopState

    /// `nil` when the deliveries have ended.
    @exclusivity(unchecked)  // Only with the lock held.
    private var pass: Pass?

    /// What depends on the types.
    private struct Pass {

      let loop: Loop

      /// The sequence, for description and mirror. Called with the lock held.
      let sequence: () -> Any
    }

    /// A closure that is taken out of an optional, or is the result of a generic function, is wrapped in another one
    /// each time; a structure is not.
    private struct Loop {

      /// Called by one thread at a time, with the lock free.
      let deliver: (Sequence) -> Void
    }

    /// Set when the deliveries end, for the loop to see without the lock.
    @usableFromInline
    let isEnded = Atomic<Bool>(false)

    @usableFromInline
    let reflection: Reflection

    /// What a subscription shows of itself beside the sequence.
    @usableFromInline
    struct Reflection {

      /// The description when the deliveries have ended.
      @usableFromInline
      let endedDescription: StaticString

      /// The sequence that is shown then: an empty array of the elements' type.
      @usableFromInline
      let endedSequence: () -> Any

      /// The completion, where it is shown.
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

    /// Where the loop is: one element in advance, so that the last one is known, and the others.
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

    @usableFromInline
    init(deliver: @escaping (Sequence) -> Void, sequence: @escaping () -> Any, reflection: Reflection) {
      state = DeliveryLoopState()
      pass = Pass(loop: Loop(deliver: deliver), sequence: sequence)
      self.reflection = reflection
    }

    /// Makes the subscription to a loop that its maker runs, for nobody to see.
    @usableFromInline
    init(reflection: Reflection) {
      state = DeliveryLoopState(isDelivering: true)
      self.reflection = reflection
    }

    /// Subscribes a downstream to a sequence: with no element it gets the completion at once.
    @inlinable
    @inline(__always)
    static func attach<Elements: Swift.Sequence, Downstream: Subscriber>(
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

    /// Sends a downstream everything, if it asks for that; what the downstream does is inlined in the loop.
    ///
    /// - Parameter position: Where the loop begins; taken if there is one.
    /// - Returns: Whether there was. If not, nothing has happened.
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
          sendAll(from: position.take().unsafelyUnwrapped, until: conduit, toSubscriberAt: $0)
        }
        if conduit.finish() { downstream.receive(completion: completion) }
      }
    }

    /// The loop, in a function of its own: the closure around it becomes a thunk, in which the compiler inlines no C.
    ///
    /// The downstream comes by pointer and is copied once, or each pass of the loop would begin by loading all of it.
    @inlinable
    @inline(never)
    static func sendAll<Iterator: IteratorProtocol, Downstream: Subscriber>(
      from position: consuming Position<Iterator>,
      until conduit: Sequence,
      toSubscriberAt pointer: UnsafePointer<Downstream>
    ) where Downstream.Input == Iterator.Element {
      let downstream = pointer.pointee
      repeat {
        let element = position.advance()
        if conduit.isEnded.load(ordering: .acquiring) { return }
        _ = downstream.receive(element)
      } while position.next != nil && !conduit.isEnded.load(ordering: .acquiring)
    }

    @inlinable
    static func make<Elements: Swift.Sequence, Downstream: Subscriber>(
      sequence: Elements,
      position: Position<Elements.Iterator>,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection,
      downstream: Downstream
    ) -> Sequence where Downstream.Input == Elements.Element {
      // Of whoever runs the loop alone, and emptied at its end.
      var shared: (downstream: Downstream, position: Position<Elements.Iterator>?)?
      shared = (downstream, position)
      let deliver: (Sequence) -> Void = { conduit in
        guard let downstream = shared?.downstream,
          var position = exchange(&shared!.position, with: nil),
          var demand = conduit.takeDemand()
        else {
          _ = conduit.finish()
          shared = nil
          return
        }
        while demand > .none {
          let element = position.advance()
          if conduit.isEnded.load(ordering: .acquiring) { break }
          if !demand.isUnlimited { demand -= 1 }
          let more = downstream.receive(element)
          if more > .none { demand += more }
          if position.next == nil || conduit.isEnded.load(ordering: .acquiring) { break }
          if demand == .none {
            shared!.position = position
            guard let more = conduit.takeDemand() else { break }
            if more == .none { return }
            demand = more
            shared!.position = nil
          }
        }
        let isFinished = conduit.finish()
        // Like everything else, before the completion is sent.
        shared = nil
        _ = consume position
        if isFinished { downstream.receive(completion: completion) }
      }
      return Sequence(deliver: deliver, sequence: { sequence }, reflection: reflection)
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      lock.withLock { state.request(demand) ? pass?.loop : nil }?.deliver(self)
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
      lock.withLock { state.takeDemand() }
    }

    /// Ends the loop and the deliveries, and releases what is held.
    ///
    /// - Returns: Whether the completion is to be sent: nobody cancelled.
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

  /// The sequence while the deliveries have not ended.
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
