#if JetStream
  import CNATS
  import CombineCore

  /// How a bucket keeps its values.
  ///
  /// ```swift
  /// var configuration = KeyValueConfiguration(bucket: "settings")
  /// configuration.history = 5
  /// configuration.maximumAge = .seconds(86_400)
  /// ```
  public struct KeyValueConfiguration: Sendable, Hashable {

    /// The name of the bucket: letters, digits, `-` and `_`.
    public var bucket: String

    /// A description for people.
    public var text: String?

    /// The number of revisions of each key that are kept, 64 at most.
    public var history = 1

    /// The time after which a revision is removed. With `nil`, it stays.
    public var maximumAge: Duration?

    /// The maximum number of bytes of all revisions.
    public var maximumBytes: Int?

    /// The maximum number of bytes of a value.
    public var maximumValueSize: Int?

    /// Where revisions are kept.
    public var storage = StreamConfiguration.Storage.file

    /// The number of servers that keep the bucket.
    public var replicas = 1

    /// Creates a configuration with defaults.
    ///
    /// - Parameter bucket: The name of the bucket: letters, digits, `-` and `_`.
    public init(bucket: String) {
      self.bucket = bucket
    }

    /// Fills a structure of the library, whose strings live as long as `strings`.
    func fill(_ target: inout kvConfig, _ strings: CStrings) {
      kvConfig_Init(&target)
      target.Bucket = strings.copy(bucket)
      target.Description = strings.copy(text)
      target.History = UInt8(clamping: history)
      target.TTL = maximumAge?.nanoseconds ?? 0
      target.MaxBytes = Int64(maximumBytes ?? -1)
      target.MaxValueSize = Int32(clamping: maximumValueSize ?? -1)
      target.StorageType = storage == .file ? js_FileStorage : js_MemoryStorage
      target.Replicas = Int32(clamping: replicas)
    }
  }
#endif
