import CombineCore
import Synchronization

extension Publisher {

  /// Records the events that pass here while inspection is on, and otherwise changes nothing.
  ///
  /// The operator records subscriptions, demand, values, completions and cancellations, with thread and time. It asks
  /// whether ``Inspection`` is on when it is subscribed. If not, it takes no part in the pipeline: an element costs
  /// nothing.
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
  ///   - fileID: Where the stage is written.
  ///   - filePath: Where the stage is written.
  ///   - line: Where the stage is written.
  /// - Returns: A publisher of the same events.
  @inlinable
  public func inspect(
    _ name: String,
    describing describe: (@Sendable (Output) -> String)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line
  ) -> Publishers.Inspect<Self> {
    Publishers.Inspect(
      upstream: self,
      name: name,
      place: SourcePlace(file: "\(filePath)", line: Int(line)),
      describe: describe
    )
  }
}

extension Publishers {

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
        upstream.subscribe(subscriber)
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
        subscription: conduit
      )
      Inspector.shared.subscribing(conduit.stage) { upstream.subscribe(conduit) }
    }
  }
}

extension Publishers.Inspect: Sendable where Upstream: Sendable {}

/// A subscriber and subscription that records each event before it passes it on.
///
/// It keeps its downstream until it is released, as the subscription does that it stands for.
private final class InspectConduit<Downstream: Subscriber>: Subscriber, Subscription, CustomStringConvertible {

  private let downstream: Downstream
  private let describe: (@Sendable (Downstream.Input) -> String)?

  /// Set before the upstream is subscribed to.
  var stage: Stage!

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var upstream: (any Subscription)?

  @exclusivity(unchecked)  // Only with the lock held.
  private var hasEnded = false

  init(downstream: Downstream, describe: (@Sendable (Downstream.Input) -> String)?) {
    self.downstream = downstream
    self.describe = describe
  }

  deinit { Inspector.shared.end(stage, .released) }

  var description: String { "Inspect" }

  func receive(subscription: any Subscription) {
    let isRefused = lock.withLock {
      if hasEnded || upstream != nil { return true }
      upstream = subscription
      return false
    }
    if isRefused { return subscription.cancel() }
    downstream.receive(subscription: self)
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    Inspector.shared.willDeliver(stage) { describe.map { $0(input) } ?? Inspector.shared.describe(input) }
    let demand = downstream.receive(input)
    Inspector.shared.didDeliver(stage, demand)
    return demand
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    let released = lock.withLock {
      hasEnded = true
      return exchange(&upstream, with: nil)
    }
    Inspector.shared.completing(stage, completion) { downstream.receive(completion: completion) }
    _ = released
  }

  func request(_ demand: Subscribers.Demand) {
    Inspector.shared.add(demand, to: stage)
    lock.withLock { upstream }?.request(demand)
  }

  func cancel() {
    let subscription = lock.withLock {
      hasEnded = true
      return exchange(&upstream, with: nil)
    }
    guard let subscription else { return }
    Inspector.shared.end(stage, .cancelled)
    subscription.cancel()
  }
}
