#if JetStream
  import CNATS
  import CombineCore

  extension JetStream {

    /// Creates a bucket for values with keys. If it exists with the same configuration, nothing changes.
    ///
    /// ```swift
    /// func store(_ jetStream: JetStream) async throws {
    ///   let settings = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "settings"))
    ///   let revision = try await settings.put(Array("dark".utf8), for: "color")
    ///   try await settings.update(Array("light".utf8), for: "color", revision: revision)
    /// }
    /// ```
    ///
    /// - Parameter configuration: The name of the bucket, and its limits.
    /// - Returns: The bucket.
    /// - Throws: `JetStreamError` of the kind `nameTaken` if a bucket of this name has another configuration, or `refused`
    ///   if the name is not valid.
    public func addKeyValueStore(_ configuration: KeyValueConfiguration) async throws(JetStreamError) -> KeyValueStore {
      try await connection.request("STREAM.CREATE", "STREAM.INFO", "STREAM.UPDATE", of: "KV_\(configuration.bucket)") {
        [connection] () throws(JetStreamError) in
        try Names.checkName(configuration.bucket, .bucket)
        let strings = CStrings()
        var target = kvConfig()
        configuration.fill(&target, strings)
        var pointer: OpaquePointer?
        let status = withExtendedLifetime(strings) { js_CreateKeyValue(&pointer, connection.context, &target) }
        guard status == NATS_OK, let pointer else { throw JetStreamError(keyValue: status) }
        return KeyValueStore(pointer, configuration.bucket, connection)
      }
    }

    /// Finds a bucket.
    ///
    /// - Parameter bucket: The name of the bucket.
    /// - Returns: The bucket.
    /// - Throws: `JetStreamError` of the kind `noStream` if there is no bucket of this name.
    public func keyValueStore(_ bucket: String) async throws(JetStreamError) -> KeyValueStore {
      try await connection.request("STREAM.INFO", of: "KV_\(bucket)") { [connection] () throws(JetStreamError) in
        try Names.checkName(bucket, .bucket)
        var pointer: OpaquePointer?
        let status = js_KeyValue(&pointer, connection.context, bucket)
        guard status == NATS_OK, let pointer else { throw JetStreamError(keyValue: status) }
        return KeyValueStore(pointer, bucket, connection)
      }
    }

    /// Removes a bucket with its values. Its watches fail.
    ///
    /// - Parameter bucket: The name of the bucket.
    /// - Throws: `JetStreamError` of the kind `noStream` if there is no bucket of this name.
    public func deleteKeyValueStore(_ bucket: String) async throws(JetStreamError) {
      try await connection.request("STREAM.DELETE", of: "KV_\(bucket)") { [connection] () throws(JetStreamError) in
        try Names.checkName(bucket, .bucket)
        let status = js_DeleteKeyValue(connection.context, bucket)
        guard status == NATS_OK else { throw JetStreamError(keyValue: status) }
      }
    }
  }

  extension JetStreamError {

    /// Creates the error of a call about a bucket that has just failed on this thread.
    ///
    /// The library's functions about buckets do not return the code of JetStream, only its text.
    init(keyValue status: natsStatus) {
      let error = JetStreamError(status)
      let code = Self.code(ofKeyValueText: error.text)
      if code != 0 {
        self.init(status: error.status, code: code, text: error.text)
      } else if status == NATS_NOT_FOUND {
        self.init(.noStream, status: error.status, code: 10059, text: error.text)
      } else {
        self = error
      }
    }

    /// The code of JetStream for the texts of its errors that a bucket can meet, 0 for others.
    static func code(ofKeyValueText text: String) -> Int {
      let codes = [
        "wrong last sequence": 10071,
        "stream not found": 10059,
        "stream name already in use": 10058,
        "configuration is different": 10058,
        "message size exceeds maximum allowed": 10054,
        "maximum bytes exceeded": 10077,
      ]
      return codes.first { text.contains($0.key) }?.value ?? 0
    }
  }
#endif
