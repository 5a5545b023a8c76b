#if JetStream

  /// A message to publish.
  ///
  /// ```swift
  /// let message = OutgoingMessage(Array("one".utf8), to: "orders.new", id: "order-1")
  /// print(message.payload.count)  // prints 3
  /// ```
  public struct OutgoingMessage: Sendable, Hashable {

    /// The payload.
    public var payload: [UInt8]

    /// The subject, without wildcards.
    public var subject: String

    /// The id by which the stream recognises a second copy. Without it, a message whose acknowledgement is lost is not sent
    /// again, and fails.
    public var id: String?

    /// Other headers.
    public var headers: [String: [String]]

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - subject: The subject, without wildcards.
    ///   - id: The id by which the stream recognises a second copy.
    ///   - headers: Other headers.
    public init(_ payload: [UInt8], to subject: String, id: String? = nil, headers: [String: [String]] = [:]) {
      self.payload = payload
      self.subject = subject
      self.id = id
      self.headers = headers
    }
  }
#endif
