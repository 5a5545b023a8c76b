#if JetStream
  import Foundation

  /// Which messages a consumer delivers, and when it delivers them again.
  ///
  /// A consumer is the server's memory of what was delivered and acknowledged. Programs that use the same one share its
  /// messages.
  ///
  /// ```swift
  /// var configuration = ConsumerConfiguration(durable: "printer")
  /// configuration.filterSubject = "orders.new"
  /// configuration.acknowledgementWait = .seconds(60)
  /// ```
  public struct ConsumerConfiguration: Sendable, Hashable {

    /// The first message that is delivered.
    public enum Start: Sendable, Hashable {

      /// The oldest one.
      case all

      /// The newest one.
      case last

      /// The newest one of each subject.
      case lastPerSubject

      /// The first one that comes after the consumer was created.
      case new

      /// The one with a sequence of the stream.
      case sequence(UInt64)

      /// The first one since a time. In the first tenth of a second, it is the first one since that second.
      case time(Date)
    }

    /// Which acknowledgements the server waits for.
    public enum Policy: Sendable, Hashable {

      /// One for each message.
      case explicit

      /// None.
      case none

      /// One for a message and all before it.
      case all
    }

    /// The name under which the consumer stays. With `nil`, the server makes a name, and removes the consumer when it was
    /// not used for ``inactivityThreshold``.
    public var durable: String?

    /// A description for people.
    public var text: String?

    /// The first message that is delivered.
    public var start = Start.all

    /// Which acknowledgements the server waits for.
    public var policy = Policy.explicit

    /// The time after which a message that was not acknowledged is delivered again.
    public var acknowledgementWait = Duration.seconds(30)

    /// The times after which a message that was not acknowledged is delivered again: the first one after the first delivery,
    /// and so on, the last one from then on. They replace ``acknowledgementWait``. Messages that are given back come at once.
    ///
    /// ``maximumDeliveries`` must be set and be larger than their number.
    public var backOff: [Duration] = []

    /// The maximum number of messages that are delivered and not acknowledged, over all subscriptions. It should be at
    /// least the sum of their windows. A number below 1 stands for the server's default, 1000. For no limit, choose a large
    /// number: the library does not send -1.
    public var maximumUnacknowledged = 1000

    /// How often a message is delivered at most. With `nil`, it is without a limit.
    public var maximumDeliveries: Int?

    /// The subject of the messages, which may have wildcards. With `nil`, all are delivered.
    public var filterSubject: String?

    /// Whether messages are delivered without their payload.
    public var headersOnly = false

    /// The time for which the server keeps a consumer without a durable name that nobody uses.
    public var inactivityThreshold: Duration?

    /// Whether the state of the consumer is kept in memory only.
    public var inMemory = false

    /// Creates a configuration with defaults.
    ///
    /// - Parameter durable: The name under which the consumer stays, without dots and spaces.
    public init(durable: String? = nil) {
      self.durable = durable
    }
  }

  /// A consumer as its server describes it.
  public struct ConsumerInfo: Sendable, Hashable {

    /// The name of the stream.
    public let stream: String

    /// The name of the consumer.
    public let name: String

    /// How the consumer is configured, with the server's defaults.
    public let configuration: ConsumerConfiguration

    /// When the consumer was created.
    public let created: Date

    /// The number of messages that are delivered and not acknowledged.
    public let unacknowledgedCount: Int

    /// The number of messages that were delivered more than once and are not acknowledged.
    public let redeliveredCount: Int

    /// The lag: the number of messages that were not delivered yet.
    public let pendingCount: UInt64

    /// The number of requests that wait for messages.
    public let waitingRequestCount: Int

    /// The stream's sequence of the last message that was delivered.
    public let deliveredSequence: UInt64

    /// The stream's sequence up to which all messages are acknowledged.
    public let acknowledgedSequence: UInt64

    /// The name of the server that leads the consumer in a cluster. It is `nil` without a cluster, and during an election.
    public let leader: String?

    /// Whether messages are asked for, and not sent to a subject.
    let isPull: Bool
  }
#endif
