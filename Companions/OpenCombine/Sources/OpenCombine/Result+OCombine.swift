extension Result {

  /// OpenCombine's name for what Combine adds to a result.
  ///
  /// ```swift
  /// let cancellable = Result<Int, any Error>.success(42).ocombine.publisher
  ///   .replaceError(with: 0)
  ///   .sink { print($0) }  // prints 42
  /// ```
  @inlinable
  public var ocombine: OCombine { OCombine(self) }

  /// A wrapper around a result, with the members that Combine adds to the result itself.
  public struct OCombine {

    /// The library's publisher of a result, under its name in OpenCombine.
    public typealias Publisher = Result<Success, Failure>.Publisher

    @usableFromInline
    let result: Result<Success, Failure>

    @usableFromInline
    init(_ result: Result<Success, Failure>) {
      self.result = result
    }

    /// A publisher that sends the result's value and then finishes, or fails with its error.
    @inlinable
    public var publisher: Publisher { Publisher(result) }
  }
}

extension Result.OCombine: Sendable where Success: Sendable {}
