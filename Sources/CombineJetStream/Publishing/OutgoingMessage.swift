#if JetStream

  /// A message to publish.
  ///
  /// It is checked before it is sent. A message is refused, with an error of the kind `refused` that names the fault, if
  ///
  /// - the subject is empty, has an empty word, a wildcard, a space, a line break or another control character,
  /// - the name of a header is empty, or has a space, a colon, or a character that is not of ASCII,
  /// - the value of a header or the id is empty, or has a line break.
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

    /// The number of bytes of all parts. What the protocol adds is not counted.
    var byteCount: Int {
      var count = payload.count + subject.utf8.count + (id?.utf8.count ?? 0)
      for (name, values) in headers { count += values.reduce(0) { $0 + name.utf8.count + $1.utf8.count } }
      return count
    }
  }
#endif
