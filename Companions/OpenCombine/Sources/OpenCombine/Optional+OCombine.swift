extension Optional {

  /// OpenCombine's name for what Combine adds to an optional.
  ///
  /// ```swift
  /// let cancellable = Int("42").ocombine.publisher.sink { print($0) }  // prints 42
  /// ```
  @inlinable
  public var ocombine: OCombine { OCombine(self) }

  /// A wrapper around an optional, with the members that Combine adds to the optional itself.
  public struct OCombine {

    /// The library's publisher of an optional, under its name in OpenCombine.
    public typealias Publisher = Optional<Wrapped>.Publisher

    @usableFromInline
    let optional: Wrapped?

    @usableFromInline
    init(_ optional: Wrapped?) {
      self.optional = optional
    }

    /// A publisher that sends the optional's value, if there is one, and then finishes.
    @inlinable
    public var publisher: Publisher { Publisher(optional) }
  }
}

extension Optional.OCombine: Sendable where Wrapped: Sendable {}
