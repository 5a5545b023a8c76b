import CombineCore
import Synchronization

/// A namespace for the inspection of the process's pipelines, in development and in tests.
///
/// Inspection is off until ``start(_:)``. Pipelines that are subscribed while it is on are recorded: those with an
/// ``CombineCore/Publisher/inspect(_:describing:filePath:line:)`` stage, or all of them.
///
/// ```swift
/// Inspection.start(.init(followsEverything: true))
/// let cancellable = [1, 2, 3].publisher.append(Empty(completeImmediately: false)).map { $0 * 2 }.sink { _ in }
/// print(Inspection.table)
/// Inspection.stop()
/// ```
///
/// All members may be used on any thread.
public enum Inspection {

  /// What is recorded.
  public struct Options: Sendable {

    /// Whether each pipeline is recorded, and not only the stages that say `inspect`.
    ///
    /// In a debug build, a pipeline then costs a millisecond or two when it is subscribed, and an event ten microseconds at
    /// each stage.
    public var followsEverything: Bool

    /// The maximum number of events that are kept. Later events replace the earliest ones.
    public var eventCapacity: Int

    /// The maximum number of characters in the description of a value.
    public var descriptionLength: Int

    /// A closure that describes a value or an error. It keeps secrets out of the record.
    public var describe: @Sendable (Any) -> String

    /// Creates options.
    ///
    /// - Parameters:
    ///   - followsEverything: Whether each pipeline is recorded, and not only the stages that say `inspect`.
    ///   - eventCapacity: The maximum number of events that are kept.
    ///   - descriptionLength: The maximum number of characters in the description of a value.
    ///   - describe: A closure that describes a value or an error.
    public init(
      followsEverything: Bool = false,
      eventCapacity: Int = 10_000,
      descriptionLength: Int = 60,
      describe: @escaping @Sendable (Any) -> String = { String(describing: $0) }
    ) {
      self.followsEverything = followsEverything
      self.eventCapacity = max(0, eventCapacity)
      self.descriptionLength = max(1, descriptionLength)
      self.describe = describe
    }
  }

  /// Whether a subscription that is made now is recorded. An `inspect` stage reads it once for each subscription.
  @usableFromInline
  static let isOn = Atomic<Bool>(false)

  /// Whether pipelines that are subscribed now are recorded.
  public static var isActive: Bool { isOn.load(ordering: .acquiring) }

  /// Starts to record pipelines that are subscribed from now on.
  ///
  /// What was recorded before is dropped, but for the subscriptions that are alive.
  ///
  /// - Parameter options: What is recorded.
  public static func start(_ options: Options = Options()) {
    Inspector.shared.start(options)
  }

  /// Stops recording. What was recorded can still be read.
  public static func stop() {
    Inspector.shared.stop()
  }

  /// The recorded subscriptions that are alive, in the order in which they were made.
  ///
  /// A subscription is alive until it completes, is cancelled or is released.
  ///
  /// The line at which a pipeline was subscribed is looked up in the program's debug information. Until another thread has
  /// found it, ``LivingSubscription/place`` is `nil`. A later read has it. ``table`` waits for all of them.
  ///
  /// - Complexity: O(*n*) for *n* living subscriptions.
  public static var living: [LivingSubscription] {
    Inspector.shared.living(waitingForPlaces: false)
  }

  /// The recorded subscriptions that are alive, as a table in text.
  ///
  /// It waits until the line of each subscription is known, which takes milliseconds for each line of the program.
  public static var table: String {
    LivingSubscription.table(Inspector.shared.living(waitingForPlaces: true))
  }

  /// What has happened since ``start(_:)``.
  public static var timeline: Timeline {
    Inspector.shared.timeline()
  }

  /// The latest failures, at most a hundred, with the stages that each has passed.
  public static var failures: [RecordedFailure] {
    Inspector.shared.failures
  }
}
