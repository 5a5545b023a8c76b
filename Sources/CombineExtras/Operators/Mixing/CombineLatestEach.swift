import CombineCore

extension ExtraPublishers {

  /// A publisher that combines the latest elements of any number of others into tuples.
  ///
  /// It follows the rules of `combineLatest`. A tuple is published for each element, once every upstream has sent one.
  /// Without demand, an element only replaces the latest one of its upstream. Demand passes to every upstream unchanged.
  /// The publisher finishes when all upstreams have finished. If one upstream fails, the publisher fails and cancels the
  /// others.
  ///
  /// For up to four publishers, use `combineLatest`. Swift 6.3 does not specialize code for a parameter pack, so an
  /// element takes ten to twenty times as long here.
  ///
  /// ```swift
  /// marbles(outputs: ["p": ("a", "b", "c", "d", "e"), "q": ("a", "b", "c", "y", "e")]) {
  ///   "a---|"
  ///   "-b---|"
  ///   "--c---|"
  ///   "---d---y---|"
  ///   "----e---|"
  ///   ExtraPublishers.CombineLatestEach($0[0], $0[1], $0[2], $0[3], $0[4])
  ///   "----p--q---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ExtraPublishers.CombineLatestEach(Just(1), Just("b"), Just(3.0), Just("d"), Just(5))
  ///   .sink { print($0) }  // prints (1, "b", 3.0, "d", 5)
  /// cancellable.cancel()
  /// ```
  public struct CombineLatestEach<Output, Failure: Error>: Publisher {

    /// The publisher of the upstreams' pack. It is hidden, because a tuple with a pack among the parameters of this type
    /// would keep the compiler from inferring the types of a chain.
    @usableFromInline
    let pack: AnyPublisher<Output, Failure>

    /// Creates a publisher that combines the latest elements of others.
    ///
    /// - Parameter upstream: The publishers that supply the values of each tuple, in order. They may be of any types with
    ///   the same kind of errors. Without any, the publisher finishes at once.
    @inlinable
    public init<each Element>(_ upstream: repeat any Publisher<each Element, Failure>)
    where Output == (repeat each Element) {
      // In two statements, because the compiler (6.3) rejects a pack inside the conversion.
      let pack = CombineLatestEachPack(repeat AnyPublisher(each upstream))
      self.pack = AnyPublisher(pack)
    }

    /// Subscribes to the upstreams in order.
    ///
    /// `subscriber` receives its subscription after that.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      pack.receive(subscriber: subscriber)
    }
  }
}

/// The upstreams of an ``ExtraPublishers/CombineLatestEach``.
@usableFromInline
struct CombineLatestEachPack<Failure: Error, each Element>: Publisher {

  @usableFromInline
  typealias Output = (repeat each Element)

  @usableFromInline
  let upstreams: (repeat AnyPublisher<each Element, Failure>)

  @inlinable
  init(_ upstream: repeat AnyPublisher<each Element, Failure>) {
    upstreams = (repeat each upstream)
  }

  @inlinable
  @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    Conduits.combineLatestEach(repeat each upstreams, to: subscriber)
  }
}
