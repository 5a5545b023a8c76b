extension Publisher {

  /// Publishes at most the given number of elements from the beginning, and then finishes.
  ///
  /// With the last of these elements, the operator cancels the upstream and finishes. It completes with the upstream if
  /// that has fewer elements. If `maxLength` is zero, it finishes with the upstream's first element.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   $0[0].prefix(2)
  ///   "a--(b|)"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = (1...).publisher
  ///   .prefix(3)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })  // prints 1, 2, 3, finished
  /// ```
  ///
  /// - Parameter maxLength: The maximum number of elements to publish. A negative number traps.
  /// - Returns: A publisher of the first elements.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    if maxLength < 0 { Misuse.trap("prefix(_:)", .negativeLength) }
    return Publishers.Output(upstream: self, range: 0..<maxLength)
  }

  /// Publishes the element at one position, and then finishes.
  ///
  /// With that element, the operator cancels the upstream and finishes. It completes with the upstream if that has
  /// fewer elements.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   $0[0].output(at: 1)
  ///   "---(b|)"
  ///   "^--!"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ["a", "b", "c"].publisher.map { $0.uppercased() }
  ///   .output(at: 1)
  ///   .sink { print($0) }  // prints B
  /// ```
  ///
  /// For each element before the position, the operator requests one more from the upstream.
  ///
  /// - Parameter index: The position, from zero. A negative number traps, and so does `Int.max`.
  /// - Returns: A publisher of the element at the position.
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Self> {
    if index < 0 { Misuse.trap("output(at:)", .negativeIndex) }
    if index == .max { Misuse.trap("output(at:)", .greatestIndex) }
    return Publishers.Output(upstream: self, range: index..<index + 1)
  }

  /// Publishes the elements at a range of positions, and then finishes.
  ///
  /// With the last of these elements, the operator cancels the upstream and finishes. It completes with the upstream if
  /// that has fewer elements. If the range is empty, the operator finishes with the first element that is not before
  /// it.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--d--|"
  ///   $0[0].output(in: 1...2)
  ///   "---b--(c|)"
  ///   "^-----!"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ["a", "b", "c", "d"].publisher.map { $0.uppercased() }
  ///   .output(in: 1...2)
  ///   .sink { print($0) }  // prints B, C
  /// ```
  ///
  /// For each element before the range, the operator requests one more from the upstream.
  ///
  /// - Parameter range: The range of positions, from zero. A negative bound traps.
  /// - Returns: A publisher of the elements at these positions.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
    Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
  }
}

extension Publishers {

  /// A publisher of the elements of its upstream at a range of positions.
  public struct Output<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are passed on.
    public let upstream: Upstream

    /// The range of positions of the elements to publish, from zero.
    public let range: CountableRange<Int>

    /// Creates a publisher of the elements of another publisher at a range of positions.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are passed on.
    ///   - range: The range of positions of the elements to publish, from zero. A negative bound traps.
    @inlinable
    public init(upstream: Upstream, range: CountableRange<Int>) {
      if range.lowerBound < 0 { Misuse.trap("Output", .negativeLowerBound) }
      if range.upperBound < 0 { Misuse.trap("Output", .negativeUpperBound) }
      self.upstream = upstream
      self.range = range
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// Each subscription starts at position zero.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.Output(downstream: subscriber, range: range))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publishers.Output: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Output<Downstream: Subscriber>: Conduit, RequestPassingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    // Only elements touch it, and an upstream sends one at a time. No access is in progress while the downstream runs.

    /// The number of elements before the range that are still to come.
    @exclusivity(unchecked)
    @usableFromInline
    var skipping: Int

    /// The number of elements still to deliver. It is one or more in the middle of a range, and never grows.
    @exclusivity(unchecked)
    @usableFromInline
    var remaining: Int

    @inlinable
    init(downstream: Downstream, range: Range<Int>) {
      self.downstream = downstream
      skipping = range.lowerBound
      remaining = range.upperBound - range.lowerBound
    }

    // The state is not checked. The counters run on, and elements are delivered, without a subscription, too.
    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      if skipping > 0 {
        skipping -= 1
        return .max(1)
      }
      guard remaining > 0 else {
        finish()
        return .none
      }
      remaining -= 1
      let demand = downstream.receive(input)
      if remaining == 0 { finish() }
      return demand
    }

    @inline(never)
    @usableFromInline
    func finish() {
      end(with: .finished)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      downstream.receive(completion: completion)
    }

    @usableFromInline
    var description: String { "Output" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> { [:] }
  }
}
