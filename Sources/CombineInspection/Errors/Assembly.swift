import CombineCore

/// An error with the operators that it has passed, and where they were written.
///
/// Place `assembly(_:)` behind the parts of a chain that can fail. Their errors then say which part it was, also far from
/// the chain, in a log.
public struct AssembledError: Error, CustomStringConvertible {

  /// A part of a chain that a failure has passed.
  public struct Part: Sendable, Hashable, CustomStringConvertible {

    /// The name of the part.
    public let name: String

    /// Where the part was written.
    public let place: SourcePlace

    /// The name and the place: `parse (Search.swift:12)`.
    public var description: String { "\(name) (\(place))" }
  }

  /// The error with which the first part failed.
  public let underlying: any Error

  /// The parts in the order in which the failure has passed them. The failing operator is directly upstream of the first.
  public let parts: [Part]

  /// The underlying error and the parts, one to a line.
  public var description: String {
    (["\(underlying)"] + parts.map { "  at \($0)" }).joined(separator: "\n")
  }
}

extension Publisher {

  /// Fails with an error that says that it has passed here.
  ///
  /// An ``AssembledError`` of the upstream gets one more part. Any other error is wrapped in one.
  ///
  /// ```swift
  /// marbles {
  ///   "-a--b--#"
  ///   $0[0].assembly("letters").mapError { $0.underlying as! MarbleError }  // The error names the part "letters".
  ///   "-a--b--#"
  /// }
  /// ```
  ///
  /// ```swift
  /// struct Rejected: Error {}
  /// let cancellable = Fail<Int, any Error>(error: Rejected())
  ///   .assembly("validate")
  ///   .map { $0 * 2 }
  ///   .assembly("price")
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { _ in })
  /// ```
  ///
  /// Values, demand and cancellations pass through unchanged. A value costs nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the part of the chain that ends here.
  ///   - fileID: Where the part is written.
  ///   - line: Where the part is written.
  /// - Returns: A publisher of the same values that fails with an ``AssembledError``.
  @inlinable
  public func assembly(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Publishers.MapError<Self, AssembledError> {
    let place = SourcePlace(file: "\(fileID)", line: Int(line))
    return mapError { AssembledError($0, passing: name, at: place) }
  }
}

extension AssembledError {

  /// Adds a part to an error.
  @usableFromInline
  init(_ error: any Error, passing name: String, at place: SourcePlace) {
    let part = Part(name: name, place: place)
    if let error = error as? AssembledError {
      underlying = error.underlying
      parts = error.parts + [part]
    } else {
      underlying = error
      parts = [part]
    }
  }
}
