#if JetStream
  import CNATS
  import CombineCore

  /// A bucket of values with keys, which a stream of JetStream keeps.
  ///
  /// ```swift
  /// func run(_ settings: KeyValueStore) async throws {
  ///   try await settings.put(Array("dark".utf8), for: "color")
  ///   if let entry = try await settings.get("color") {
  ///     print(String(decoding: entry.value, as: UTF8.self), entry.revision)
  ///   }
  /// }
  /// ```
  ///
  /// A key has letters, digits and `-`, `_`, `=`, `.`, `/`. A dot separates words, so that ``watch(_:start:window:)`` can
  /// choose keys by `*` for a word and `>` for the rest.
  ///
  /// `@unchecked Sendable`: the pointer never changes, and the library's functions may be called on any thread.
  public final class KeyValueStore: @unchecked Sendable {

    private let pointer: OpaquePointer
    let connection: Connection

    /// The name of the bucket.
    public let bucket: String

    init(_ pointer: OpaquePointer, _ bucket: String, _ connection: Connection) {
      self.pointer = pointer
      self.bucket = bucket
      self.connection = connection
    }

    deinit { kvStore_Destroy(pointer) }

    /// The name of the stream that keeps the bucket.
    public var stream: String { "KV_\(bucket)" }

    /// The subject under which the stream keeps a key.
    static func subject(of key: String, in bucket: String) -> String { "$KV.\(bucket).\(key)" }

    // MARK: Reading

    /// Returns the latest value of a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The entry with the value, or `nil` if the key has none or was deleted.
    /// - Throws: `JetStreamError` of the kind `refused` if the key is not valid, `noStream` if the bucket is deleted.
    public func get(_ key: String) async throws(JetStreamError) -> KeyValueEntry? {
      try await find(key) { kvStore_Get(&$0, $1, key) }
    }

    /// Returns a certain revision of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - revision: The number of the revision.
    /// - Returns: The entry, or `nil` if there is none of this number and key (any more).
    /// - Throws: `JetStreamError` of the kind `refused` if the key is not valid, `noStream` if the bucket is deleted.
    public func get(_ key: String, revision: UInt64) async throws(JetStreamError) -> KeyValueEntry? {
      try await find(key) { kvStore_GetRevision(&$0, $1, key, revision) }
    }

    /// Returns the revisions of a key that are kept, from the oldest to the newest, with deletions.
    ///
    /// - Parameter key: The key.
    /// - Returns: The entries. Their number is ``KeyValueConfiguration/history`` at most.
    /// - Throws: `JetStreamError` of the kind `refused` if the key is not valid, `noStream` if the bucket is deleted.
    public func history(of key: String) async throws(JetStreamError) -> [KeyValueEntry] {
      try await connection.request(readSubjects) { [self] () throws(JetStreamError) in
        try Names.checkKey(key)
        var options = watchOptions()
        var list = kvEntryList()
        defer { kvEntryList_Destroy(&list) }
        guard try !isMissing(kvStore_History(&list, pointer, key, &options)) else { return [] }
        return (0..<Int(list.Count)).map { KeyValueEntry(list.Entries[$0]) }
      }
    }

    /// Returns the keys that have a value, in no order.
    ///
    /// - Returns: The keys.
    /// - Throws: `JetStreamError` of the kind `noStream` if the bucket is deleted.
    public func keys() async throws(JetStreamError) -> [String] {
      try await connection.request(readSubjects) { [self] () throws(JetStreamError) in
        var options = watchOptions()
        var list = kvKeysList()
        defer { kvKeysList_Destroy(&list) }
        guard try !isMissing(kvStore_Keys(&list, pointer, &options)) else { return [] }
        return (0..<Int(list.Count)).compactMap { list.Keys[$0].map { String(cString: $0) } }
      }
    }

    // MARK: Writing

    /// Stores a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    /// - Returns: The number of the new revision.
    /// - Throws: `JetStreamError` of the kind `refused` if the key is not valid or a limit is reached, `payloadTooLarge`,
    ///   or `noStream` if the bucket is deleted.
    @discardableResult
    public func put(_ value: [UInt8], for key: String) async throws(JetStreamError) -> UInt64 {
      try await store(value, for: key) { kvStore_Put(&$0, $1, key, $2, $3) }
    }

    /// Stores a value if the key has none.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    /// - Returns: The number of the new revision.
    /// - Throws: `JetStreamError` of the kind `wrongRevision` if the key has a value, and what ``put(_:for:)`` throws.
    @discardableResult
    public func create(_ value: [UInt8], for key: String) async throws(JetStreamError) -> UInt64 {
      try await store(value, for: key) { kvStore_Create(&$0, $1, key, $2, $3) }
    }

    /// Stores a value if a certain revision is the latest of the key.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - revision: The number of the revision that must be the latest, with 0 for a key that never had one. A bucket that
    ///     was deleted and created again counts from 1 again, so read the key again there.
    /// - Returns: The number of the new revision.
    /// - Throws: `JetStreamError` of the kind `wrongRevision` if another revision is the latest, and what
    ///   ``put(_:for:)`` throws.
    @discardableResult
    public func update(
      _ value: [UInt8],
      for key: String,
      revision: UInt64
    ) async throws(JetStreamError) -> UInt64 {
      try await store(value, for: key) { kvStore_Update(&$0, $1, key, $2, $3, revision) }
    }

    /// Deletes a key. Its earlier revisions stay in the history.
    ///
    /// - Parameter key: The key. If it has no value, it is deleted all the same.
    /// - Throws: `JetStreamError` of the kind `refused` if the key is not valid, `noStream` if the bucket is deleted.
    public func delete(_ key: String) async throws(JetStreamError) {
      try await write(key) { kvStore_Delete($0, key) }
    }

    /// Deletes a key with its earlier revisions.
    ///
    /// - Parameter key: The key. If it has no value, it is deleted all the same.
    /// - Throws: `JetStreamError` of the kind `refused` if the key is not valid, `noStream` if the bucket is deleted.
    public func purge(_ key: String) async throws(JetStreamError) {
      try await write(key) { kvStore_Purge($0, key, nil) }
    }

    /// Removes the markers of deleted keys.
    ///
    /// - Parameter age: The age below which a marker stays, so that others who watch the bucket see it.
    /// - Throws: `JetStreamError` of the kind `noStream` if the bucket is deleted.
    public func purgeDeletions(olderThan age: Duration = .seconds(1800)) async throws(JetStreamError) {
      try await connection.request(readSubjects) { [self] () throws(JetStreamError) in
        var options = kvPurgeOptions()
        kvPurgeOptions_Init(&options)
        options.Timeout = connection.configuration.timeout.milliseconds
        // The library takes 0 for its default, and a negative age for all.
        options.DeleteMarkersOlderThan = age > .zero ? age.nanoseconds : -1
        let status = kvStore_PurgeDeletes(pointer, &options)
        guard status == NATS_OK else { throw JetStreamError(keyValue: status) }
      }
    }

    // MARK: Calls that block

    /// The subjects of requests that read the bucket.
    private var readSubjects: [String] {
      let actions = [
        "DIRECT.GET", "STREAM.MSG.GET", "STREAM.INFO", "STREAM.PURGE", "CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE",
      ]
      return connection.subjects(actions, of: stream)
    }

    /// The subjects under which a key is written, without a JetStream domain and with one.
    private func writeSubjects(_ key: String) -> [String] {
      let subject = Self.subject(of: key, in: bucket)
      return [subject, "\(connection.apiPrefix).\(subject)"] + readSubjects
    }

    private func find(
      _ key: String,
      _ body: @escaping @Sendable (inout OpaquePointer?, OpaquePointer) -> natsStatus
    ) async throws(JetStreamError) -> KeyValueEntry? {
      try await connection.request(readSubjects) { [self] () throws(JetStreamError) in
        try Names.checkKey(key)
        var entry: OpaquePointer?
        defer { kvEntry_Destroy(entry) }
        let status = body(&entry, pointer)
        // A server answers a request for a value of a bucket that is deleted by silence.
        if status == NATS_TIMEOUT { _ = try connection.streamInfo(stream) }
        return try isMissing(status) ? nil : KeyValueEntry(entry)
      }
    }

    private func store(
      _ value: [UInt8],
      for key: String,
      _ body: @escaping @Sendable (inout UInt64, OpaquePointer, UnsafeRawPointer?, Int32) -> natsStatus
    ) async throws(JetStreamError) -> UInt64 {
      try await connection.request(writeSubjects(key)) { [self] () throws(JetStreamError) in
        try Names.checkKey(key)
        var revision: UInt64 = 0
        let status = value.withUnsafeBytes { body(&revision, pointer, $0.baseAddress, Int32($0.count)) }
        guard status == NATS_OK else { throw JetStreamError(keyValue: status) }
        return revision
      }
    }

    private func write(
      _ key: String,
      _ body: @escaping @Sendable (OpaquePointer) -> natsStatus
    ) async throws(JetStreamError) {
      try await connection.request(writeSubjects(key)) { [self] () throws(JetStreamError) in
        try Names.checkKey(key)
        let status = body(pointer)
        guard status == NATS_OK else { throw JetStreamError(keyValue: status) }
      }
    }

    /// - Returns: Whether the status says that there is no such key. Any other failure is thrown.
    private func isMissing(_ status: natsStatus) throws(JetStreamError) -> Bool {
      switch status {
      case NATS_OK: return false
      case NATS_NOT_FOUND: return true
      default: throw JetStreamError(keyValue: status)
      }
    }

    private func watchOptions() -> kvWatchOptions {
      var options = kvWatchOptions()
      kvWatchOptions_Init(&options)
      options.Timeout = connection.configuration.timeout.milliseconds
      return options
    }
  }
#endif
