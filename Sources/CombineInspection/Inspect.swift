import CombineExtras
import Synchronization

extension Publisher {

  /// Records the events that pass here while inspection is on, and otherwise changes nothing.
  ///
  /// The operator records subscriptions, demand, values, completions and cancellations, with thread and time. It asks
  /// whether ``Inspection`` is on when it is subscribed. If not, it takes no part in the pipeline: an element costs
  /// nothing.
  ///
  /// ```swift
  /// marbles {
  ///   "-a--b---|"
  ///   $0[0].inspect("letters")  // Recorded: the subscription, the request, a, b, and the end.
  ///   "-a--b---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2, 3].publisher
  ///   .inspect("numbers")
  ///   .map { $0 * 2 }
  ///   .inspect("doubled")
  ///   .sink { print($0) }
  /// ```
  ///
  /// Demand and completion pass through unchanged.
  ///
  /// - Parameters:
  ///   - name: The name of the stage.
  ///   - describe: A closure that describes a value. Without it, ``Inspection/Options/describe`` does. It may be called on
  ///     any thread.
  ///   - filePath: Where the stage is written.
  ///   - line: Where the stage is written.
  /// - Returns: A publisher of the same events.
  @inlinable
  public func inspect(
    _ name: String,
    describing describe: (@Sendable (Output) -> String)? = nil,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) -> ExtraPublishers.Inspect<Self> {
    ExtraPublishers.Inspect(
      upstream: self,
      name: name,
      place: SourcePlace(file: "\(filePath)", line: Int(line)),
      describe: describe
    )
  }
}

extension ExtraPublishers {

  /// A publisher whose events are recorded while inspection is on.
  public struct Inspect<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose events are recorded.
    public let upstream: Upstream

    /// The name of the stage.
    public let name: String

    /// Where the stage is written.
    public let place: SourcePlace

    /// A closure that describes a value. Without it, ``Inspection/Options/describe`` does.
    public let describe: (@Sendable (Output) -> String)?

    /// Creates a publisher whose events are recorded while inspection is on.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose events are recorded.
    ///   - name: The name of the stage.
    ///   - place: Where the stage is written.
    ///   - describe: A closure that describes a value. Without it, ``Inspection/Options/describe`` does.
    @inlinable
    public init(
      upstream: Upstream,
      name: String,
      place: SourcePlace,
      describe: (@Sendable (Output) -> String)? = nil
    ) {
      self.upstream = upstream
      self.name = name
      self.place = place
      self.describe = describe
    }

    /// Subscribes `subscriber` to the upstream, through this operator if inspection is on.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      if Inspection.isOn.load(ordering: .relaxed) {
        subscribeRecorded(subscriber)
      } else {
        upstream.subscribeConduit(subscriber)
      }
    }

    @usableFromInline
    @inline(never)
    func subscribeRecorded<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = InspectConduit(downstream: subscriber, describe: describe)
      conduit.stage = Inspector.shared.addStage(
        name: name,
        origin: .written(place),
        subscriber: subscriber,
        recorder: conduit
      )
      Inspector.shared.subscribing(conduit.stage) { upstream.subscribe(conduit) }
    }
  }
}

extension ExtraPublishers.Inspect: Sendable where Upstream: Sendable {}

/// A subscriber that records each event before it passes it on.
///
/// The stage is alive as long as it is: whoever sends values keeps it.
private final class InspectConduit<Downstream: Subscriber>: Subscriber, CustomStringConvertible {

  private let downstream: Downstream
  private let describe: (@Sendable (Downstream.Input) -> String)?

  /// Set before the upstream is subscribed to.
  var stage: Stage!

  private let hasSubscription = Atomic(false)

  init(downstream: Downstream, describe: (@Sendable (Downstream.Input) -> String)?) {
    self.downstream = downstream
    self.describe = describe
  }

  deinit { Inspector.shared.end(stage, .released) }

  var description: String { "Inspect" }

  func receive(subscription: any Subscription) {
    if hasSubscription.exchange(true, ordering: .relaxed) { return subscription.cancel() }
    downstream.receive(subscription: InspectSubscription(subscription, stage))
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    Inspector.shared.willDeliver(stage) { describe.map { $0(input) } ?? $0(input) }
    let demand = downstream.receive(input)
    Inspector.shared.didDeliver(stage, demand)
    return demand
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    Inspector.shared.completing(stage, completion) { downstream.receive(completion: completion) }
  }
}

/// A subscription that records requests and the cancellation before it passes them on.
///
/// It is apart from the conduit, so that nobody keeps more alive, nor longer, than without the stage.
private final class InspectSubscription: Subscription, CustomStringConvertible {

  private let upstream: any Subscription
  private let stage: Stage

  init(_ upstream: any Subscription, _ stage: Stage) {
    self.upstream = upstream
    self.stage = stage
  }

  var description: String { "Inspect" }

  func request(_ demand: Subscribers.Demand) {
    Inspector.shared.add(demand, to: stage)
    upstream.request(demand)
  }

  func cancel() {
    Inspector.shared.end(stage, .cancelled)
    upstream.cancel()
  }
}
