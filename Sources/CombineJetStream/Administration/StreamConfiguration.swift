#if JetStream
  import Foundation

  /// Which messages a stream takes, and how long it keeps them.
  ///
  /// ```swift
  /// var configuration = StreamConfiguration(name: "ORDERS", subjects: ["orders.>"])
  /// configuration.retention = .workQueue
  /// configuration.maximumAge = .seconds(86_400)
  /// ```
  public struct StreamConfiguration: Sendable, Hashable {

    /// Where messages are kept.
    public enum Storage: Sendable, Hashable {

      /// In files, which survive the server.
      case file

      /// In the server's memory.
      case memory
    }

    /// When a message is removed.
    public enum Retention: Sendable, Hashable {

      /// When a limit is reached.
      case limits

      /// When every consumer has acknowledged it.
      case interest

      /// When one consumer has acknowledged it.
      case workQueue
    }

    /// What happens to a message beyond a limit.
    public enum Discard: Sendable, Hashable {

      /// The oldest messages make room.
      case old

      /// The new message is refused.
      case new
    }

    /// Another stream whose messages a stream takes over.
    public struct Source: Sendable, Hashable {

      /// The name of the other stream.
      public var name: String

      /// The sequence of the first message that is taken over. With `nil`, it is the oldest.
      public var startSequence: UInt64?

      /// The subject of the messages, which may have wildcards. With `nil`, all are taken over.
      public var filterSubject: String?

      /// Creates a source.
      ///
      /// - Parameters:
      ///   - name: The name of the other stream.
      ///   - startSequence: The sequence of the first message that is taken over.
      ///   - filterSubject: The subject of the messages.
      public init(_ name: String, startSequence: UInt64? = nil, filterSubject: String? = nil) {
        self.name = name
        self.startSequence = startSequence
        self.filterSubject = filterSubject
      }
    }

    /// The name, without dots and spaces.
    public var name: String

    /// A description for people.
    public var text: String?

    /// The subjects, which may have the wildcards `*` and `>`.
    public var subjects: [String]

    /// Where messages are kept.
    public var storage = Storage.file

    /// When a message is removed.
    public var retention = Retention.limits

    /// What happens to a message beyond a limit.
    public var discard = Discard.old

    /// The maximum number of messages.
    public var maximumMessages: Int?

    /// The maximum number of messages of each subject.
    public var maximumMessagesPerSubject: Int?

    /// The maximum number of bytes of all messages.
    public var maximumBytes: Int?

    /// The time after which a message is removed.
    public var maximumAge: Duration?

    /// The maximum number of bytes of a message.
    public var maximumMessageSize: Int?

    /// The time for which the server remembers the ids of messages, so that it drops those that are sent twice.
    public var duplicateWindow = Duration.seconds(120)

    /// The number of servers that keep the stream.
    public var replicas = 1

    /// The stream whose messages this one copies, with their sequences. Such a stream has no subjects of its own, and
    /// nobody else publishes to it.
    public var mirror: Source?

    /// The streams whose messages this one takes over, with sequences of its own. It may have subjects in addition.
    public var sources: [Source] = []

    /// Creates a configuration with defaults.
    ///
    /// - Parameters:
    ///   - name: The name, without dots and spaces.
    ///   - subjects: The subjects, which may have the wildcards `*` and `>`.
    public init(name: String, subjects: [String]) {
      self.name = name
      self.subjects = subjects
    }
  }

  /// A stream as its server describes it.
  public struct StreamInfo: Sendable, Hashable {

    /// How the stream is configured, with the server's defaults.
    public let configuration: StreamConfiguration

    /// When the stream was created.
    public let created: Date

    /// The number of messages.
    public let messageCount: UInt64

    /// The number of bytes of all messages.
    public let byteCount: UInt64

    /// The sequence of the oldest message.
    public let firstSequence: UInt64

    /// The sequence of the newest message.
    public let lastSequence: UInt64

    /// The number of consumers.
    public let consumerCount: Int

    /// The name of the server that leads the stream in a cluster. It is `nil` without a cluster, and during an election.
    public let leader: String?
  }
#endif
