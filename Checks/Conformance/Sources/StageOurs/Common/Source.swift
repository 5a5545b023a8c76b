import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// The operations of a script on a source.
protocol SourceControl: AnyObject {
  func send(_ value: Int, age: Int)
  func finish(age: Int)
  func fail(_ code: Int, age: Int)
  func greet(age: Int)

  /// Whether the source has a subscriber, and has sent each subscriber its subscription.
  var isConnected: Bool { get }

  /// Checks the laws. If all subscribers have cancelled, every live subscription should be cancelled.
  func checkAtEnd(isCancelDue: Bool, isCancelEarly: Bool)

  func tearDown()
}

/// A publisher whose every signal is sent by the script.
final class Source<Output, Failure: Error>: Publisher, SourceControl, CustomStringConvertible {

  private let number: Int
  private unowned let stage: Stage
  private let census: Census
  private let transform: (Int) -> Output
  private let failure: (Int) -> Failure

  /// The connections, the oldest first.
  private var connections: [SourceConnection<Output, Failure>] = []

  // The number of callbacks of each kind, for all subscribers together.
  private var subscribedCount = 0
  private var requestCount = 0
  private var cancelCount = 0

  init(
    number: Int,
    stage: Stage,
    failure: @escaping (Int) -> Failure,
    _ transform: @escaping (Int) -> Output
  ) {
    self.number = number
    self.stage = stage
    self.failure = failure
    self.transform = transform
    census = stage.census
    census.born(description)
  }

  deinit { census.died(description) }

  var description: String { "up\(number)" }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let connection = SourceConnection(
      name: connections.isEmpty ? description : "\(description)/\(connections.count + 1)",
      source: self,
      census: census,
      subscriber: subscriber
    )
    connections.append(connection)
    stage.add("\(connection) is subscribed to")
    stage.perform(.subscribed(source: number, count: subscribedCount)) { subscribedCount += 1 }
    if !stage.script.lateSources.contains(number) { stage.deeper { greet(connection) } }
  }

  // MARK: What the subscriber does

  fileprivate func requested(_ demand: Subscribers.Demand, _ connection: SourceConnection<Output, Failure>) {
    stage.add("\(connection) is asked for \(demand)")
    connection.outstanding += demand
    stage.perform(.requested(source: number, count: requestCount)) { requestCount += 1 }
  }

  fileprivate func cancelled(_ connection: SourceConnection<Output, Failure>) {
    stage.add("\(connection) is cancelled")
    connection.cancelCount += 1
    stage.perform(.cancelled(source: number, count: cancelCount)) { cancelCount += 1 }
  }

  // MARK: What the script does

  private func connection(_ age: Int) -> SourceConnection<Output, Failure>? {
    let index = connections.count - 1 - age
    return index >= 0 ? connections[index] : nil
  }

  func send(_ value: Int, age: Int) {
    guard let connection = connection(age), let subscriber = connection.subscriber else { return }
    if stage.isLawful {
      guard connection.isLive, connection.outstanding > .none, !isInterrupting(connection) else { return }
    }
    if connection.outstanding > .none { connection.outstanding -= 1 }
    stage.add("\(connection) sends \(value)")
    let demand = send(connection) { subscriber.receive(transform(value)) }
    connection.outstanding += demand
    if demand != .none { stage.add("\(connection) is returned \(demand)") }
  }

  private func send<R>(_ connection: SourceConnection<Output, Failure>, _ event: () -> R) -> R {
    connection.sending += 1
    defer { connection.sending -= 1 }
    return stage.deeper(event)
  }

  /// Returns whether an operator is processing a value of this connection and has not sent it downstream yet. A nested
  /// send from the operator's closure is unlawful. One from further downstream is lawful.
  private func isInterrupting(_ connection: SourceConnection<Output, Failure>) -> Bool {
    connection.sending > 0 && stage.isInClosure
  }

  func finish(age: Int) {
    guard let connection = connection(age) else { return }
    complete(connection, .finished, "finishes")
  }

  func fail(_ code: Int, age: Int) {
    guard let connection = connection(age) else { return }
    complete(connection, .failure(failure(code)), "fails with \(code)")
  }

  private func complete(
    _ connection: SourceConnection<Output, Failure>,
    _ completion: Subscribers.Completion<Failure>,
    _ verb: String
  ) {
    guard let subscriber = connection.subscriber else { return }
    if stage.isLawful, !connection.isLive || isInterrupting(connection) { return }
    connection.isEnded = true
    stage.add("\(connection) \(verb)")
    send(connection) { subscriber.receive(completion: completion) }
  }

  func greet(age: Int) {
    guard let connection = connection(age) else { return }
    if stage.isLawful, connection.greetCount > 0 { return }
    greet(connection)
  }

  private func greet(_ connection: SourceConnection<Output, Failure>) {
    guard let subscriber = connection.subscriber else { return }
    connection.greetCount += 1
    stage.add("\(connection) gives subscription \(connection.greetCount)")
    // Each call sends a separate subscription, as a publisher that sends two would.
    send(connection) { subscriber.receive(subscription: SourceSubscription(connection)) }
  }

  var isConnected: Bool { !connections.isEmpty && connections.allSatisfy { $0.greetCount > 0 } }

  func checkAtEnd(isCancelDue: Bool, isCancelEarly: Bool) {
    for connection in connections {
      if connection.cancelCount > 1 {
        stage.broken(.noSecondCancel, "\(connection) was cancelled \(connection.cancelCount) times")
      }
      if isCancelDue, connection.isLive {
        stage.broken(isCancelEarly ? .earlyCancel : .cancelReachesUpstream, "\(connection) is not cancelled")
      }
    }
  }

  func tearDown() {
    let connections = connections
    self.connections = []
    for connection in connections { connection.subscriber = nil }
  }
}

/// One subscriber of a source.
private final class SourceConnection<Output, Failure: Error>: CustomStringConvertible {

  let description: String
  unowned let source: Source<Output, Failure>
  let census: Census
  var subscriber: (any Subscriber<Output, Failure>)?
  var outstanding = Subscribers.Demand.none
  var greetCount = 0
  var cancelCount = 0
  var isEnded = false

  /// The number of its signals that have not returned.
  var sending = 0

  init(
    name: String,
    source: Source<Output, Failure>,
    census: Census,
    subscriber: any Subscriber<Output, Failure>
  ) {
    description = name
    self.source = source
    self.census = census
    self.subscriber = subscriber
  }

  /// Whether a lawful source may send to it.
  var isLive: Bool { greetCount > 0 && cancelCount == 0 && !isEnded }
}

private final class SourceSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible {

  private let connection: SourceConnection<Output, Failure>
  private let number: Int

  init(_ connection: SourceConnection<Output, Failure>) {
    self.connection = connection
    number = connection.greetCount
    connection.census.born("subscription of \(connection)")
  }

  deinit { connection.census.died("subscription of \(connection)") }

  var description: String { number == 1 ? "\(connection)" : "\(connection)#\(number)" }

  func request(_ demand: Subscribers.Demand) {
    connection.source.requested(demand, connection)
  }

  func cancel() {
    connection.source.cancelled(connection)
  }
}

/// A source without a subscription to the script, such as a subject, a promise or a property. It handles its
/// subscribers' demand, so nothing sent to it is unlawful, with one exception: a send inside the closure of an operator
/// that may be processing its value.
final class DirectControl: SourceControl {

  private let number: Int
  private unowned let stage: Stage
  private var events: DirectEvents

  init(number: Int, stage: Stage, events: DirectEvents) {
    self.number = number
    self.stage = stage
    self.events = events
  }

  func send(_ value: Int, age: Int) { perform("sends \(value)", events.send.map { send in { send(value) } }) }
  func finish(age: Int) { perform("finishes", events.finish) }
  func fail(_ code: Int, age: Int) { perform("fails with \(code)", events.fail.map { fail in { fail(code) } }) }
  func greet(age: Int) { perform("is given a subscription", events.greet) }

  private func perform(_ verb: String, _ event: (() -> Void)?) {
    guard let event, !stage.isLawful || !stage.isInClosure else { return }
    stage.add("up\(number) \(verb)")
    stage.deeper(event)
  }

  var isConnected: Bool { true }
  func checkAtEnd(isCancelDue: Bool, isCancelEarly: Bool) {}

  func tearDown() {
    let events = events
    self.events = DirectEvents()
    events.tearDown?()
  }
}

/// The effects of the script's events on such a source. Events without a closure have no effect.
struct DirectEvents {
  var send: ((Int) -> Void)?
  var finish: (() -> Void)?
  var fail: ((Int) -> Void)?
  var greet: (() -> Void)?

  /// A closure that ends the source after the run, so that objects that it keeps alive until its end are released.
  var tearDown: (() -> Void)?
}
