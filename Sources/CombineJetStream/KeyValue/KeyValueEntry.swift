#if JetStream
  import CNATS
  import CombineCore
  import Foundation

  /// One revision of a key of a bucket.
  public struct KeyValueEntry: Sendable, Hashable {

    /// What a revision has done to its key.
    public enum Operation: Sendable, Hashable {

      /// It has stored a value.
      case put

      /// It has deleted the key. Earlier revisions stay in the history.
      case delete

      /// It has deleted the key and its earlier revisions.
      case purge
    }

    /// The name of the bucket.
    public let bucket: String

    /// The key.
    public let key: String

    /// The value. It is empty if the key was deleted.
    public let value: [UInt8]

    /// The number of the revision. Each change in the bucket has a larger number than the change before.
    public let revision: UInt64

    /// The time at which the revision was stored.
    public let created: Date

    /// What the revision has done to the key.
    public let operation: Operation

    /// Whether the revision has deleted the key.
    public var isDeletion: Bool { operation != .put }
  }

  extension KeyValueEntry: CustomStringConvertible {

    /// The key, the revision, and the size of the value or the operation.
    public var description: String {
      let content = operation == .put ? "\(value.count) bytes" : "\(operation)"
      return "KeyValueEntry(\(key), revision \(revision), \(content))"
    }
  }

  /// What a watched bucket has to say.
  public enum KeyValueEvent: Sendable, Hashable {

    /// A key has a new revision.
    case entry(KeyValueEntry)

    /// All entries that were there when the watch began have been published. It comes once, also from an empty bucket.
    case ready

    /// The entry, `nil` for ``ready``.
    public var entry: KeyValueEntry? {
      if case .entry(let entry) = self { entry } else { nil }
    }
  }

  extension KeyValueEntry {

    /// Reads an entry of the library.
    init(_ source: OpaquePointer?) {
      let count = max(0, Int(kvEntry_ValueLen(source)))
      bucket = kvEntry_Bucket(source).map { String(cString: $0) } ?? ""
      key = kvEntry_Key(source).map { String(cString: $0) } ?? ""
      value = Array(UnsafeRawBufferPointer(start: kvEntry_Value(source), count: count))
      revision = kvEntry_Revision(source)
      created = Date(timeIntervalSince1970: Double(kvEntry_Created(source)) / 1e9)
      operation =
        switch kvEntry_Operation(source) {
        case kvOp_Delete: .delete
        case kvOp_Purge: .purge
        default: .put
        }
    }

    /// Reads a message of the stream that keeps a bucket.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - metadata: What the server says about the delivery.
    ///   - bucket: The name of the bucket.
    init(_ message: JetStreamMessage, _ metadata: DeliveryMetadata, bucket: String) {
      let headers = message.headers
      self.bucket = bucket
      key = String(message.subject.dropFirst(KeyValueStore.subject(of: "", in: bucket).count))
      value = message.payload
      revision = metadata.streamSequence
      created = metadata.timestamp
      operation = Operation(headers)
    }
  }

  extension KeyValueEntry.Operation {

    /// Later servers remove a value themselves when its time is over, and leave a marker with the reason.
    init(_ headers: [String: [String]]) {
      switch headers["KV-Operation"]?.first {
      case "DEL": self = .delete
      case "PURGE": self = .purge
      default: self = headers["Nats-Marker-Reason"] == nil ? .put : .purge
      }
    }
  }
#endif
