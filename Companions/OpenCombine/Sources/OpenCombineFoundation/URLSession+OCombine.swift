import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {

  /// OpenCombine's name for what Combine adds to a session.
  ///
  /// ```swift
  /// let url = URL(string: "https://example.com")!
  /// let cancellable = URLSession.shared.ocombine.dataTaskPublisher(for: url)
  ///   .map(\.data.count)
  ///   .replaceError(with: 0)
  ///   .sink { print($0, "bytes") }
  /// ```
  public var ocombine: OCombine { OCombine(self) }

  /// A wrapper around a session, with the members that Combine adds to the session itself.
  public struct OCombine: Sendable {

    /// The library's publisher of a request's result, under its name in OpenCombine.
    public typealias DataTaskPublisher = URLSession.DataTaskPublisher

    /// The session that performs the requests.
    public let session: URLSession

    /// Creates a wrapper.
    ///
    /// - Parameter session: The session that performs the requests.
    public init(_ session: URLSession) {
      self.session = session
    }

    /// Returns a publisher that requests a URL for each subscriber.
    ///
    /// - Parameter url: The URL to request.
    /// - Returns: A publisher of the data and the response. It fails with a `URLError`.
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
      session.dataTaskPublisher(for: url)
    }

    /// Returns a publisher that performs a request for each subscriber.
    ///
    /// - Parameter request: The request to perform.
    /// - Returns: A publisher of the data and the response. It fails with a `URLError`.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
      session.dataTaskPublisher(for: request)
    }
  }
}
