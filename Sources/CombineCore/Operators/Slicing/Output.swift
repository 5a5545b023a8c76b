extension Publisher {

  /// Publishes the first values, and then finishes.
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
  /// - Parameter maxLength: The greatest number of values to publish; traps when it is negative.
  /// - Returns: A publisher of the first values. With the last of them it cancels the upstream and finishes; it
  ///   completes with the upstream if there are fewer. Where there is none to publish, the upstream's first value
  ///   makes it finish.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    if maxLength < 0 { Misuse.trap("prefix(_:)", .negativeLength) }
    return Publishers.Output(upstream: self, range: 0..<maxLength)
  }

  /// Publishes the value at one position, and then finishes.
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
  /// Values before the position do not count against the demand: one more is asked for in the place of each.
  ///
  /// - Parameter index: The position, from zero; traps when it is negative, or the greatest integer there is.
  /// - Returns: A publisher of that value. With it the publisher cancels the upstream and finishes; it completes with
  ///   the upstream if that has fewer values.
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Self> {
    if index < 0 { Misuse.trap("output(at:)", .negativeIndex) }
    if index == .max { Misuse.trap("output(at:)", .greatestIndex) }
    return Publishers.Output(upstream: self, range: index..<index + 1)
  }

  /// Publishes the values at a range of positions, and then finishes.
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
  /// Values before the range do not count against the demand: one more is asked for in the place of each.
  ///
  /// - Parameter range: The positions, from zero; traps when a bound is negative.
  /// - Returns: A publisher of these values. With the last of them it cancels the upstream and finishes; it completes
  ///   with the upstream if that has fewer values. Where the range is empty, the first value that is not before it
  ///   makes the publisher finish.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
    Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
  }
}

extension Publishers {

  /// A publisher of the values of its upstream at a range of positions.
  public struct Output<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are passed on.
    public let upstream: Upstream

    /// The positions of the values to publish, from zero.
    public let range: CountableRange<Int>

    /// Creates a publisher of the values of another one at a range of positions.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are passed on.
    ///   - range: The positions of the values to publish, from zero; traps when a bound is negative.
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
      upstream.attach(Conduits.Output(downstream: subscriber, range: range))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publishers.Output: Sendable where Upstream: Sendable {}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Output<Downstream: Subscriber>: Conduit, ConnectingConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    // Only touched by elements, of which an upstream sends one at a time; no access lasts while the downstream runs.

    /// How many elements there are before the range.
    @exclusivity(unchecked)
    @usableFromInline
    var skipping: Int

    /// How many elements are to be delivered; it is one or more in the middle of a range, and never grows.
    @exclusivity(unchecked)
    @usableFromInline
    var remaining: Int

    @inlinable
    init(downstream: Downstream, range: Range<Int>) {
      self.downstream = downstream
      skipping = range.lowerBound
      remaining = range.upperBound - range.lowerBound
    }

    // The state is not consulted: the counters run on, and deliver, without a subscription too.
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
