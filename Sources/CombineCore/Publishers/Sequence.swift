import Synchronization

extension Publishers {

  /// A publisher of the elements of a Swift sequence.
  ///
  /// Each subscriber gets the whole sequence, as it asks for elements, and the completion right after the last one.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {

    /// The kind of values: the sequence's elements.
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
      Conduits.Sequence<Elements, S>.attach(subscriber, to: sequence, completion: .finished, reflection: .sequence)
    }
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {}

extension Publishers.Sequence: Sendable where Elements: Sendable {}

extension Sequence {

  /// A publisher of the elements of this sequence.
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
  /// It holds one element in advance, so that it knows the last one. Everything that the loop uses belongs to whoever
  /// runs the loop, which the state makes one at a time; so an element costs no lock.
  @usableFromInline
  final class Sequence<Elements: Swift.Sequence, Downstream: Subscriber>: Subscription
  where Downstream.Input == Elements.Element {

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var state = DeliveryLoopState()

    /// Set when the deliveries end, for the loop to see without the lock.
    @usableFromInline
    let isEnded = Atomic<Bool>(false)

    @exclusivity(unchecked)  // These four: only by the loop, or by whoever ends the deliveries while no loop runs.
    @usableFromInline
    var next: Elements.Element?

    @exclusivity(unchecked)
    @usableFromInline
    var rest: Elements.Iterator?

    @exclusivity(unchecked)
    @usableFromInline
    var downstream: Downstream?

    /// Kept for description and mirror. Also read by those, under the lock; released under it too.
    @exclusivity(unchecked)
    private var sequence: Elements?

    @usableFromInline
    let completion: Subscribers.Completion<Downstream.Failure>

    private let reflection: Reflection

    /// Runs the loop. Made in `init`, where the types are known: called as a method, through the existential that the
    /// downstream holds, the loop would look up every type at run time.
    private let deliver: (Sequence<Elements, Downstream>) -> Void

    @usableFromInline
    enum Reflection {
      case sequence, record
    }

    /// Subscribes a downstream to a sequence: with no element it gets the completion at once.
    @inlinable
    @inline(__always)
    static func attach(
      _ downstream: Downstream,
      to sequence: Elements,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection
    ) {
      var iterator = sequence.makeIterator()
      guard let first = iterator.next() else {
        downstream.receive(subscription: Subscriptions.empty)
        downstream.receive(completion: completion)
        return
      }
      downstream.receive(
        subscription: Sequence(
          sequence: sequence,
          first: first,
          rest: iterator,
          completion: completion,
          reflection: reflection,
          downstream: downstream
        )
      )
    }

    @inlinable
    convenience init(
      sequence: Elements,
      first: Elements.Element,
      rest: Elements.Iterator,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection,
      downstream: Downstream
    ) {
      self.init(
        sequence: sequence,
        first: first,
        rest: rest,
        completion: completion,
        reflection: reflection,
        downstream: downstream,
        deliver: { $0.runLoop() }
      )
    }

    @usableFromInline
    init(
      sequence: Elements,
      first: Elements.Element,
      rest: Elements.Iterator,
      completion: Subscribers.Completion<Downstream.Failure>,
      reflection: Reflection,
      downstream: Downstream,
      deliver: @escaping (Sequence<Elements, Downstream>) -> Void
    ) {
      self.sequence = sequence
      next = first
      self.rest = rest
      self.completion = completion
      self.reflection = reflection
      self.downstream = downstream
      self.deliver = deliver
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      if lock.withLock({ state.request(demand) }) { deliver(self) }
    }

    @usableFromInline
    func cancel() {
      let mayRelease = lock.withLock {
        let mayRelease = state.cancel()
        isEnded.store(true, ordering: .releasing)
        return mayRelease
      }
      if mayRelease { release() }
    }

    /// Delivers while there is demand. Only one call runs at a time.
    @inlinable
    func runLoop() {
      guard let downstream, var rest = exchange(&rest, with: nil), var demand = takeDemand() else {
        release()
        return
      }
      while demand > .none {
        let element = next.unsafelyUnwrapped
        next = rest.next()
        if isEnded.load(ordering: .acquiring) { break }
        if !demand.isUnlimited { demand -= 1 }
        let more = downstream.receive(element)
        if more > .none { demand += more }
        if next == nil || isEnded.load(ordering: .acquiring) { break }
        if demand == .none {
          self.rest = rest
          guard let more = takeDemand() else {
            release()
            return
          }
          if more == .none { return }
          demand = more
          self.rest = nil
        }
      }
      if finish() { downstream.receive(completion: completion) }
    }

    @usableFromInline
    func takeDemand() -> Subscribers.Demand? {
      lock.withLock { state.takeDemand() }
    }

    /// Ends the deliveries and releases what is held.
    ///
    /// - Returns: Whether the completion is to be sent.
    @usableFromInline
    func finish() -> Bool {
      let isFinished = lock.withLock {
        let isFinished = state.finish()
        isEnded.store(true, ordering: .releasing)
        return isFinished
      }
      release()
      return isFinished
    }

    @usableFromInline
    func release() {
      let old = lock.withLock {
        (
          exchange(&next, with: nil), exchange(&rest, with: nil), exchange(&downstream, with: nil),
          exchange(&sequence, with: nil)
        )
      }
      _ = old  // Released with the lock free.
    }
  }
}

extension Conduits.Sequence: DescribedByName {

  private var reflectedSequence: Elements? {
    isEnded.load(ordering: .acquiring) ? nil : lock.withLock { sequence }
  }

  @usableFromInline
  var description: String {
    if let sequence = reflectedSequence { return String(describing: sequence) }
    return reflection == .record ? "Cancelled Events" : "Sequence"
  }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let sequence: Any = reflectedSequence.map { $0 as Any } ?? [Elements.Element]()
    return reflection == .record ? ["sequence": sequence, "completion": completion] : ["sequence": sequence]
  }
}
