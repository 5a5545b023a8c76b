import CombineCore

/// Manual upstreams, an operator that mixes them, and a subscriber. One log records the events of all.
public final class MixingFixture {

  public typealias Upstream = ManualPublisher<Int, TestError>

  public static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]

  public let upstreams: [Upstream]
  public let subscriber: RecordingSubscriber<Int, TestError>

  /// The events since the last ``take()``: `a request max(1)`, `b cancel`, `value 3`, `finished`.
  public private(set) var log: [String] = []

  /// Whether events are recorded.
  public var isRecording = true

  public var onValue: (Int) -> Subscribers.Demand = { _ in .none }
  public var onCompletion: () -> Void = {}

  /// Runs inside each call of a subscription, with its name: `a request`, `b cancel`.
  public var onCall: (String) -> Void = { _ in }

  /// - Parameters:
  ///   - count: The number of upstreams.
  ///   - hasSubscriptions: Whether they send a subscription when subscribed to.
  ///   - requesting: The demand that the subscriber requests when it receives its subscription, if any.
  ///   - make: A closure that applies the operator.
  public init<P: Publisher<Int, TestError>>(
    count: Int = 2,
    hasSubscriptions: Bool = true,
    requesting demand: Subscribers.Demand? = nil,
    _ make: ([Upstream]) -> P
  ) {
    upstreams = (0..<count).map { _ in Upstream(subscription: hasSubscriptions ? ManualSubscription() : nil) }
    subscriber = RecordingSubscriber()
    subscriber.onSubscription = { [unowned self] in
      note("subscription \(($0 as? any CustomStringConvertible)?.description ?? "without a name")")
      if let demand { $0.request(demand) }
    }
    subscriber.onValue = { [unowned self] in
      note("value \($0)")
      return onValue($0)
    }
    subscriber.onCompletion = { [unowned self] in
      switch $0 {
      case .finished: note("finished")
      case .failure(let error): note("failure \(error)")
      }
      onCompletion()
    }
    for (name, upstream) in zip(Self.names, upstreams) {
      if let subscription = upstream.subscription { watch(subscription, name) }
    }
    make(upstreams).subscribe(subscriber)
  }

  public var a: Upstream { upstreams[0] }
  public var b: Upstream { upstreams[1] }
  public var c: Upstream { upstreams[2] }

  public func note(_ entry: @autoclosure () -> String) {
    if isRecording { log.append(entry()) }
  }

  /// Logs the calls of a subscription.
  public func watch(_ subscription: ManualSubscription, _ name: String) {
    subscription.onRequest = { [unowned self] in
      note("\(name) request \($0)")
      onCall("\(name) request")
    }
    subscription.onCancel = { [unowned self] in
      note("\(name) cancel")
      onCall("\(name) cancel")
    }
  }

  /// Returns a new subscription whose calls are logged.
  public func subscription(_ name: String) -> ManualSubscription {
    let subscription = ManualSubscription()
    watch(subscription, name)
    return subscription
  }

  /// Returns the log since the last call.
  public func take() -> [String] {
    defer { log = [] }
    return log
  }

  public func request(_ demand: Subscribers.Demand) { subscriber.request(demand) }

  public func cancel() { subscriber.cancel() }
}
