import CombineCore

extension ExtraPublishers {

  /// A publisher that joins the elements of any number of others into tuples: first with first, second with second.
  ///
  /// It follows the rules of `zip`. Elements wait in a queue until each upstream has sent its counterpart, and a complete
  /// tuple is published at once. Demand passes to every upstream unchanged. The publisher finishes when one upstream has
  /// finished and all its elements are used. If one upstream fails, the publisher fails and cancels the others.
  ///
  /// For up to four publishers, use `zip`. Swift 6.3 does not specialize code for a parameter pack, so an element takes ten
  /// to twenty times as long here.
  ///
  /// ```swift
  /// marbles(outputs: ["p": ("a", "b", "c", "d", "e"), "q": ("v", "w", "x", "y", "z")]) {
  ///   "a------v---|"
  ///   "-b------w--|"
  ///   "--c------x-|"
  ///   "---d---y---|"
  ///   "----e--z---|"
  ///   ExtraPublishers.ZipEach($0[0], $0[1], $0[2], $0[3], $0[4])
  ///   "----p----q-|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = ExtraPublishers.ZipEach(Just(1), Just("b"), Just(3.0), Just("d"), Just(5))
  ///   .sink { print($0) }  // prints (1, "b", 3.0, "d", 5)
  /// cancellable.cancel()
  /// ```
  public struct ZipEach<Output, Failure: Error>: Publisher {

    /// The publisher of the upstreams' pack. It is hidden, because a tuple with a pack among the parameters of this type
    /// would keep the compiler from inferring the types of a chain.
    @usableFromInline
    let pack: AnyPublisher<Output, Failure>

    /// Creates a publisher that joins the elements of others.
    ///
    /// - Parameter upstream: The publishers that supply the values of each tuple, in order. They may be of any types with
    ///   the same kind of errors. Without any, the publisher finishes at once.
    @inlinable
    public init<each Element>(_ upstream: repeat any Publisher<each Element, Failure>)
    where Output == (repeat each Element) {
      // In two statements, because the compiler (6.3) rejects a pack inside the conversion.
      let pack = ZipEachPack(repeat AnyPublisher(each upstream))
      self.pack = AnyPublisher(pack)
    }

    /// Subscribes to the upstreams in order.
    ///
    /// `subscriber` receives its subscription once all upstreams have sent theirs.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      pack.receive(subscriber: subscriber)
    }
  }
}

/// The upstreams of an ``ExtraPublishers/ZipEach``.
@usableFromInline
struct ZipEachPack<Failure: Error, each Element>: Publisher {

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
    Conduits.zipEach(repeat each upstreams, to: subscriber)
  }
}
