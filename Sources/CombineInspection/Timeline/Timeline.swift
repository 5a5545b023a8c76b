/// What has happened to the recorded subscriptions.
///
/// ```swift
/// Inspection.start()
/// let cancellable = ["a", "b"].publisher.inspect("letters").sink { _ in }
/// Inspection.stop()
/// print(Inspection.timeline.marbles())
/// ```
public struct Timeline: Sendable, Codable {

  /// A recorded subscription.
  public struct Track: Sendable, Codable, Identifiable {

    /// A number that no other recorded subscription of the process has.
    public let id: Int

    /// The name that `inspect` gave the stage, or the name of the publisher's type.
    public internal(set) var name: String

    /// A description of the subscriber.
    public let subscriber: String

    /// Where the stage was written, if it says so.
    public let place: SourcePlace?

    init(_ stage: Stage) {
      id = stage.id
      name = stage.name
      subscriber = stage.subscriber
      // Another place takes milliseconds to look up.
      place = stage.origin.isWritten ? stage.origin.place : nil
    }
  }

  /// One event.
  public struct Event: Sendable, Codable {

    /// What has happened.
    public enum Kind: Sendable, Codable, Equatable {

      /// The subscription was made.
      case subscribed

      /// The subscriber has requested a number of values, or unlimited ones. Both numbers are `nil` for unlimited.
      case requested(Int?, outstanding: Int?)

      /// The delivery of a value has begun. `outstanding` is the demand that is left, `nil` if it is unlimited.
      case value(String, outstanding: Int?)

      /// The delivery of a value has ended.
      case returned(from: Int)

      /// The publisher has finished.
      case finished

      /// The publisher has failed. The text describes the error.
      case failed(String)

      /// The subscriber has cancelled.
      case cancelled

      /// The subscription was released without a completion or a cancellation.
      case released
    }

    /// The number of the event. Later events have larger numbers.
    public let number: Int

    /// The time since inspection was started.
    public let time: Duration

    /// A number of the thread.
    public let thread: Int

    /// The identifier of the track.
    public let track: Int

    /// What has happened.
    public let kind: Kind

    /// The number of the delivery that was in progress on this thread when this value was sent.
    public let cause: Int?
  }

  /// The recorded subscriptions in the order in which they were made.
  public let tracks: [Track]

  /// The latest events in their order.
  public let events: [Event]

  /// The number of earlier events that were dropped, because there were more than the capacity.
  public let droppedEventCount: Int

  /// The time from the start of the inspection to this timeline.
  public let duration: Duration
}
