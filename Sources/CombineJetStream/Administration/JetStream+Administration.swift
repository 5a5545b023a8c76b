#if JetStream
  import CNATS
  import CombineCore

  // These calls wait for the server on a thread of their own. They throw `timedOut` if it does not answer in time, and
  // `authentication` as soon as it says that it does not permit the request.

  extension JetStream {

    // MARK: Streams

    /// Creates a stream. If it exists with the same configuration, nothing changes.
    ///
    /// - Parameter configuration: The name and subjects of the stream, and its limits.
    /// - Returns: The stream as the server describes it.
    /// - Throws: `JetStreamError` of the kind `nameTaken` if a stream of this name has another configuration, or if another
    ///   stream takes one of the subjects, and `refused` if the name or a subject is not valid.
    @discardableResult
    public func addStream(_ configuration: StreamConfiguration) async throws(JetStreamError) -> StreamInfo {
      try await connection.request("STREAM.CREATE", "STREAM.INFO", of: configuration.name) {
        [connection] () throws(JetStreamError) in
        try connection.addStream(configuration)
      }
    }

    /// Changes the configuration of a stream. Properties that ``StreamConfiguration`` lacks stay as they are.
    ///
    /// - Parameter configuration: The name of the stream, and its new limits.
    /// - Returns: The stream as the server describes it.
    /// - Throws: `JetStreamError` of the kind `noStream`, or `refused` if the server cannot change a property.
    @discardableResult
    public func updateStream(_ configuration: StreamConfiguration) async throws(JetStreamError) -> StreamInfo {
      try await connection.request("STREAM.INFO", "STREAM.UPDATE", of: configuration.name) {
        [connection] () throws(JetStreamError) in
        try connection.updateStream(configuration)
      }
    }

    /// Describes a stream.
    ///
    /// - Parameter name: The name of the stream.
    /// - Returns: The stream as the server describes it now.
    /// - Throws: `JetStreamError` of the kind `noStream` if there is none of this name.
    public func streamInfo(_ name: String) async throws(JetStreamError) -> StreamInfo {
      try await connection.request("STREAM.INFO", of: name) { [connection] () throws(JetStreamError) in
        try connection.streamInfo(name)
      }
    }

    /// Removes all messages of a stream.
    ///
    /// - Parameter name: The name of the stream.
    /// - Throws: `JetStreamError` of the kind `noStream` if there is none of this name.
    public func purgeStream(_ name: String) async throws(JetStreamError) {
      try await connection.request("STREAM.PURGE", of: name) { [connection] () throws(JetStreamError) in
        try Names.checkName(name, .stream)
        try connection.call { js_PurgeStream($0, name, nil, &$1) }
      }
    }

    /// Removes a stream with its messages and consumers.
    ///
    /// - Parameter name: The name of the stream.
    /// - Throws: `JetStreamError` of the kind `noStream` if there is none of this name.
    public func deleteStream(_ name: String) async throws(JetStreamError) {
      try await connection.request("STREAM.DELETE", of: name) { [connection] () throws(JetStreamError) in
        try Names.checkName(name, .stream)
        try connection.call { js_DeleteStream($0, name, nil, &$1) }
      }
    }

    // MARK: Consumers

    /// Creates a consumer. If it exists with the same configuration, nothing changes.
    ///
    /// - Parameters:
    ///   - configuration: The name of the consumer, and what it delivers.
    ///   - stream: The name of the stream.
    /// - Returns: The consumer as the server describes it. It has the name that the server made, if none was given.
    /// - Throws: `JetStreamError` of the kind `noStream`, `nameTaken` if a consumer of this name has another configuration,
    ///   and `refused` if a name or the subject is not valid. ``updateConsumer(_:of:)`` changes a consumer.
    @discardableResult
    public func addConsumer(
      _ configuration: ConsumerConfiguration,
      to stream: String
    ) async throws(JetStreamError) -> ConsumerInfo {
      try await connection.request("CONSUMER.INFO", "CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE", of: stream) {
        [connection] () throws(JetStreamError) in
        try connection.addConsumer(configuration, to: stream)
      }
    }

    /// Changes the configuration of a consumer, or creates it.
    ///
    /// - Parameters:
    ///   - configuration: The name of the consumer, and what it delivers from now on.
    ///   - stream: The name of the stream.
    /// - Returns: The consumer as the server describes it.
    /// - Throws: `JetStreamError` of the kind `noStream`, or `refused` if the server cannot change a property.
    @discardableResult
    public func updateConsumer(
      _ configuration: ConsumerConfiguration,
      of stream: String
    ) async throws(JetStreamError) -> ConsumerInfo {
      try await connection.request("CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE", of: stream) {
        [connection] () throws(JetStreamError) in try connection.configure(configuration, of: stream)
      }
    }

    /// Describes a consumer.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - stream: The name of the stream.
    /// - Returns: The consumer as the server describes it now.
    /// - Throws: `JetStreamError` of the kind `noStream` or `noConsumer`.
    public func consumerInfo(_ name: String, of stream: String) async throws(JetStreamError) -> ConsumerInfo {
      try await connection.request("CONSUMER.INFO", of: stream) { [connection] () throws(JetStreamError) in
        try connection.consumerInfo(name, of: stream)
      }
    }

    /// Removes a consumer. Its publishers of messages fail.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - stream: The name of the stream.
    /// - Throws: `JetStreamError` of the kind `noStream` or `noConsumer`.
    public func deleteConsumer(_ name: String, of stream: String) async throws(JetStreamError) {
      try await connection.request("CONSUMER.DELETE", of: stream) { [connection] () throws(JetStreamError) in
        try Names.checkName(stream, .stream)
        try Names.checkName(name, .consumer)
        try connection.call { js_DeleteConsumer($0, stream, name, nil, &$1) }
      }
    }
  }

  // MARK: Calls that block

  extension Connection {

    /// Calls a function of the library, and throws its error.
    func call(_ body: (OpaquePointer?, inout jsErrCode) -> natsStatus) throws(JetStreamError) {
      var code = jsErrCode(0)
      let start = ContinuousClock.now
      let status = body(context, &code)
      guard status == NATS_OK else {
        if status == NATS_CONNECTION_CLOSED { throw endError }
        if status == NATS_TIMEOUT, let refusal = refusal(since: start, ofPublishesTo: apiPrefix) { throw refusal }
        // No responders means here that JetStream is missing, and not a stream.
        throw JetStreamError(status, code: code)
      }
    }

    /// A stream that another program has made may have properties that a configuration here lacks. They are no difference.
    func addStream(_ configuration: StreamConfiguration) throws(JetStreamError) -> StreamInfo {
      try configuration.check()
      let strings = CStrings()
      var target = jsStreamConfig()
      jsStreamConfig_Init(&target)
      configuration.fill(&target, strings)
      var info: UnsafeMutablePointer<jsStreamInfo>?
      defer { jsStreamInfo_Destroy(info) }
      do throws(JetStreamError) {
        try withExtendedLifetime(strings) { () throws(JetStreamError) in
          try call { js_AddStream(&info, $0, &target, nil, &$1) }
        }
      } catch {
        guard error.code == 10058 else { throw error }
        let existing = try streamInfo(configuration.name)
        guard existing.configuration.isEquivalent(to: configuration) else { throw error }
        return existing
      }
      return StreamInfo(info!.pointee)
    }

    /// Properties that a configuration here lacks stay as they are.
    func updateStream(_ configuration: StreamConfiguration) throws(JetStreamError) -> StreamInfo {
      try configuration.check()
      var existing: UnsafeMutablePointer<jsStreamInfo>?
      defer { jsStreamInfo_Destroy(existing) }
      try call { js_GetStreamInfo(&existing, $0, configuration.name, nil, &$1) }
      let strings = CStrings()
      // A copy, so that the library does not destroy the strings of this program.
      var target = existing!.pointee.Config.pointee
      configuration.fill(&target, strings)
      var info: UnsafeMutablePointer<jsStreamInfo>?
      defer { jsStreamInfo_Destroy(info) }
      try withExtendedLifetime(strings) { () throws(JetStreamError) in
        try call { js_UpdateStream(&info, $0, &target, nil, &$1) }
      }
      return StreamInfo(info!.pointee)
    }

    func streamInfo(_ name: String) throws(JetStreamError) -> StreamInfo {
      try Names.checkName(name, .stream)
      var info: UnsafeMutablePointer<jsStreamInfo>?
      defer { jsStreamInfo_Destroy(info) }
      try call { js_GetStreamInfo(&info, $0, name, nil, &$1) }
      return StreamInfo(info!.pointee)
    }

    /// The server would change an existing consumer without a word. So its configuration is compared first.
    func addConsumer(
      _ configuration: ConsumerConfiguration,
      to stream: String
    ) throws(JetStreamError) -> ConsumerInfo {
      guard let name = configuration.durable else { return try configure(configuration, of: stream) }
      let existing: ConsumerInfo
      do {
        existing = try consumerInfo(name, of: stream)
      } catch {
        guard error.kind == .noConsumer else { throw error }
        return try configure(configuration, of: stream)
      }
      guard configuration.isEquivalent(to: existing.configuration) else {
        throw JetStreamError(.nameTaken, code: 10013, text: "the consumer exists with another configuration")
      }
      return existing
    }

    func configure(
      _ configuration: ConsumerConfiguration,
      of stream: String
    ) throws(JetStreamError) -> ConsumerInfo {
      try Names.checkName(stream, .stream)
      try configuration.check()
      let strings = CStrings()
      var target = jsConsumerConfig()
      configuration.fill(&target, strings)
      var info: UnsafeMutablePointer<jsConsumerInfo>?
      defer { jsConsumerInfo_Destroy(info) }
      try withExtendedLifetime(strings) { () throws(JetStreamError) in
        try call { js_AddConsumer(&info, $0, stream, &target, nil, &$1) }
      }
      return ConsumerInfo(info!.pointee)
    }

    func consumerInfo(_ name: String, of stream: String) throws(JetStreamError) -> ConsumerInfo {
      try Names.checkName(stream, .stream)
      try Names.checkName(name, .consumer)
      var info: UnsafeMutablePointer<jsConsumerInfo>?
      defer { jsConsumerInfo_Destroy(info) }
      try call { js_GetConsumerInfo(&info, $0, stream, name, nil, &$1) }
      return ConsumerInfo(info!.pointee)
    }
  }
#endif
