import CombineCore
import Synchronization

extension Publisher {

  /// Transforms an element into a publisher and publishes its elements, and drops the elements that arrive meanwhile.
  ///
  /// Use it where work in progress must not be repeated or replaced, for example a form that is submitted. `flatMap`
  /// starts work for each element, `switchToLatest` replaces it, and `concatMap(_:)` queues it.
  ///
  /// The upstream is asked for everything, because a dropped element needs no demand. The inner publisher is asked for
  /// one element at a time, and for one in advance, or for everything if the downstream has unlimited demand. The
  /// returned publisher finishes when the upstream and the inner publisher have finished, and fails with the first
  /// failure of either. A failure of the inner publisher leaves the upstream as it is, and an element that waits for
  /// demand is lost, as in `flatMap`.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b-----c------|"
  ///   "-1-2-3|"
  ///   $0[0].exhaustMap { [inner = $0.cold(1)] _ in inner }
  ///   "-1-2-3----1-2-3-|"
  /// }
  /// ```
  ///
  /// - Parameter transform: A closure that makes the inner publisher of an element. It is not called for an element that is
  ///   dropped.
  /// - Returns: A publisher of the inner publishers' elements.
  @inlinable
  public func exhaustMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> ExtraPublishers.ExhaustMap<Self, P>
  where P.Failure == Failure {
    ExtraPublishers.ExhaustMap(upstream: self, transform: transform)
  }

  /// Transforms each element into a publisher, and publishes their elements one publisher after the other.
  ///
  /// It is `flatMap(maxPublishers: .max(1), transform)`. The upstream is asked for the next element when an inner
  /// publisher has finished, so an upstream that cannot wait needs a `buffer` in front.
  ///
  /// ```swift
  /// marbles {
  ///   "a-b----|"
  ///   "-1-2|"
  ///   $0[0].buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest)
  ///     .concatMap { [inner = $0.cold(1)] _ in inner }
  ///   "-1-2-1-2|"
  ///   "^"
  ///   "^---^"
  /// }
  /// ```
  ///
  /// - Parameter transform: A closure that makes the inner publisher of an element.
  /// - Returns: A publisher of the inner publishers' elements, in the order of the upstream's elements.
  @inlinable
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> Publishers.FlatMap<P, Self>
  where P.Failure == Failure {
    flatMap(maxPublishers: .max(1), transform)
  }

  /// Transforms each element into a publisher, and publishes the elements of the latest one.
  ///
  /// It is `map(transform).switchToLatest()`. An inner publisher is cancelled when the next element arrives.
  ///
  /// ```swift
  /// marbles {
  ///   "a---b--|"
  ///   "-1-2-3|"
  ///   $0[0].flatMapLatest { [inner = $0.cold(1)] _ in inner }
  ///   "-1-2-1-2-3|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let queries = PassthroughSubject<String, Never>()
  /// let cancellable = queries.flatMapLatest { Just("results for \($0)") }.sink { print($0) }
  /// queries.send("swift")  // prints results for swift
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter transform: A closure that makes the inner publisher of an element.
  /// - Returns: A publisher of the latest inner publisher's elements.
  @inlinable
  public func flatMapLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
    map(transform).switchToLatest()
  }
}

extension ExtraPublishers {

  /// A publisher of the elements of one inner publisher at a time, which drops upstream elements meanwhile.
  public struct ExhaustMap<Upstream: Publisher, Inner: Publisher>: Publisher where Inner.Failure == Upstream.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Inner.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are transformed.
    public let upstream: Upstream

    /// A closure that makes the inner publisher of an element.
    public let transform: (Upstream.Output) -> Inner

    /// Creates a publisher of the elements of one inner publisher at a time.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are transformed.
    ///   - transform: A closure that makes the inner publisher of an element.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Inner) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let running = Running()
      upstream
        .filter { _ in running.begin() }
        .flatMap { [transform] element in
          let number = running.current
          return RunningPublisher(upstream: transform(element)) { running.end(number) }
        }
        .subscribeConduit(subscriber)
    }
  }
}

/// Whether an inner publisher runs, for one subscription.
@usableFromInline
final class Running: Sendable {

  /// The number of the inner publisher that runs, or the next even number while none runs.
  ///
  /// The number is that of one inner publisher only. A publisher that breaks its contract may finish a second time when
  /// the next one runs already.
  private let number: Atomic<Int>

  @usableFromInline
  init() { number = Atomic(0) }

  /// - Parameter number: The even number to begin with.
  init(number: Int) { self.number = Atomic(number) }

  /// Notes that an inner publisher runs, before it is made: its transform may send the next element.
  ///
  /// - Returns: Whether none did before.
  @usableFromInline
  func begin() -> Bool {
    let last = current
    guard last.isMultiple(of: 2) else { return false }
    return number.compareExchange(expected: last, desired: last &+ 1, ordering: .acquiringAndReleasing).exchanged
  }

  @usableFromInline
  var current: Int { number.load(ordering: .acquiring) }

  @usableFromInline
  func end(_ ended: Int) {
    _ = number.compareExchange(expected: ended, desired: ended &+ 1, ordering: .acquiringAndReleasing)
  }
}

/// An inner publisher, whose completion is noted before it is passed on.
@usableFromInline
struct RunningPublisher<Upstream: Publisher>: Publisher {

  @usableFromInline
  typealias Output = Upstream.Output

  @usableFromInline
  typealias Failure = Upstream.Failure

  @usableFromInline
  let upstream: Upstream

  @usableFromInline
  let willComplete: () -> Void

  @inlinable
  init(upstream: Upstream, willComplete: @escaping () -> Void) {
    self.upstream = upstream
    self.willComplete = willComplete
  }

  @inlinable
  @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribeConduit(ExtraConduits.RunningPublisher(downstream: subscriber, willComplete: willComplete))
  }
}

extension ExtraConduits {

  @usableFromInline
  struct RunningPublisher<Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let willComplete: () -> Void

    @usableFromInline
    let combineIdentifier = CombineIdentifier()

    @inlinable
    init(downstream: Downstream, willComplete: @escaping () -> Void) {
      self.downstream = downstream
      self.willComplete = willComplete
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      willComplete()
      downstream.receive(completion: completion)
    }

    @usableFromInline
    var description: String { "ExhaustMap" }
  }
}
