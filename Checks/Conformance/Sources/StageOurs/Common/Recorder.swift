import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// The operations of a script on a subscriber of the pipeline.
protocol SubscriberControl: AnyObject {
  func request(_ amount: Script.Amount)
  func cancel()

  /// Whether it was cancelled before it received a completion.
  var hasLeft: Bool { get }

  /// Whether it was first cancelled before all sources had sent their subscriptions.
  var isCancelEarly: Bool { get }

  /// Whether it was cancelled or has received a completion.
  var hasEnded: Bool { get }

  func tearDown()
}

/// A subscriber that logs its signals, runs the script's actions, and checks the laws for every subscriber of every
/// operator.
final class Recorder<Input, Failure: Error>: Subscriber, SubscriberControl, CustomStringConvertible {

  private let number: Int
  private unowned let stage: Stage
  private let census: Census
  private let show: (Input) -> String

  private var subscription: (any Subscription)?

  // The number of callbacks of each kind.
  private var subscriptionCount = 0
  private var valueCount = 0
  private var completionCount = 0

  /// The outstanding demand.
  private var outstanding = Subscribers.Demand.none
  private var departure = Departure()

  init(number: Int, stage: Stage, show: @escaping (Input) -> String) {
    self.number = number
    self.stage = stage
    self.show = show
    census = stage.census
    census.born(description)
  }

  deinit { census.died(description) }

  var description: String { "down\(number)" }

  func receive(subscription: any Subscription) {
    // The name of a type differs between the libraries.
    let name = (subscription as? any CustomStringConvertible)?.description ?? "without a description"
    stage.add("\(self) gets subscription \(name)")
    if subscriptionCount > 0 { stage.broken(.oneSubscription, "\(self) got another") }
    if self.subscription == nil { self.subscription = subscription }
    stage.perform(.subscription(subscriber: number, count: subscriptionCount)) { subscriptionCount += 1 }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    stage.add("\(self) gets \(show(input))")
    checkOrder("a value")
    if outstanding == .none, !isCancelled { stage.broken(.demand, "\(self) got a value that it had not asked for") }
    // Unlimited demand stays unlimited.
    if outstanding > .none { outstanding -= 1 }
    let returning = stage.perform(.value(subscriber: number, count: valueCount)) { valueCount += 1 }
    outstanding += returning.demand
    if returning != .none { stage.add("\(self) returns \(returning)") }
    return returning.demand
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: stage.add("\(self) gets finished")
    case .failure(let error): stage.add("\(self) gets failure \(error)")
    }
    checkOrder("a completion")
    stage.perform(.completion(subscriber: number, count: completionCount)) { completionCount += 1 }
  }

  private func checkOrder(_ event: String) {
    if subscriptionCount == 0 { stage.broken(.oneSubscription, "\(self) got \(event) before it") }
    if completionCount > 0 { stage.broken(.nothingAfterCompletion, "\(self) got \(event)") }
    if let law = departure.lawBrokenByEvent(on: stage) { stage.broken(law, "\(self) got \(event)") }
  }

  func request(_ amount: Script.Amount) {
    guard let subscription else { return }
    if stage.isLawful, amount == .none { return }
    stage.add("\(self) requests \(amount)")
    if !isCancelled { outstanding += amount.demand }
    stage.deeper { subscription.request(amount.demand) }
  }

  func cancel() {
    guard let subscription else { return }
    stage.add("\(self) cancels")
    // The empty subscription is a shared object, which does not notice a cancel. The completion that comes with it
    // still arrives.
    let isKnown = subscription.combineIdentifier != Subscriptions.empty.combineIdentifier
    if isKnown { departure.begin(on: stage, afterCompletion: completionCount > 0) }
    stage.deeper { subscription.cancel() }
    if isKnown { departure.end() }
  }

  private var isCancelled: Bool { departure.isCancelled }
  var hasLeft: Bool { departure.isBeforeCompletion }
  var isCancelEarly: Bool { departure.isEarly }
  var hasEnded: Bool { isCancelled || completionCount > 0 }

  func tearDown() {
    let subscription = subscription
    self.subscription = nil
    withExtendedLifetime(subscription) {}
  }
}

/// The state of a subscriber's cancel, and the signals that may still arrive.
private struct Departure {

  /// Whether the first cancel has returned. A nested cancel returns earlier, and ends nothing.
  private(set) var isCancelled = false

  private var cancelsUnderWay = 0

  /// Whether it was first cancelled before all sources had sent their subscriptions.
  private(set) var isEarly = false

  /// Whether it was cancelled before it received a completion.
  private(set) var isBeforeCompletion = false

  /// The actions that may still cause one signal each, because they were inside a closure at the cancel.
  private var actionsAtWork: [Int] = []

  /// Records the start of a cancel.
  mutating func begin(on stage: Stage, afterCompletion isAfterCompletion: Bool) {
    if !isAfterCompletion { isBeforeCompletion = true }
    cancelsUnderWay += 1
    guard !isCancelled, cancelsUnderWay == 1 else { return }
    isEarly = !stage.isConnected
    actionsAtWork = stage.actionsInClosures + stage.actionsInReleases
  }

  /// Records the return of a cancel.
  mutating func end() {
    cancelsUnderWay -= 1
    if cancelsUnderWay == 0 { isCancelled = true }
  }

  /// Records the arrival of a signal, and returns the law that it breaks.
  mutating func lawBrokenByEvent(on stage: Stage) -> Law? {
    guard isCancelled else { return nil }
    if let index = actionsAtWork.lastIndex(where: { $0 == stage.currentAction }) {
      actionsAtWork.remove(at: index)
      return nil
    }
    return isEarly ? .earlyCancel : .nothingAfterCancel
  }
}

/// The control of one of the library's own subscribers, as made by `sink` and `assign`, which calls closures and can
/// only be cancelled.
final class CancellableControl: SubscriberControl, CustomStringConvertible {

  let number: Int
  private unowned let stage: Stage
  private let isLetGo: Bool
  var cancellable: (any Cancellable)?

  private var valueCount = 0
  private var completionCount = 0
  private var departure = Departure()

  /// - Parameter isLetGo: Whether it is cancelled by releasing it.
  init(number: Int, stage: Stage, isLetGo: Bool) {
    self.number = number
    self.stage = stage
    self.isLetGo = isLetGo
  }

  var description: String { "down\(number)" }

  /// Records a value that the library's subscriber has received.
  func receive(_ value: String) {
    stage.add("\(self) gets \(value)")
    checkOrder("a value")
    stage.perform(.value(subscriber: number, count: valueCount)) { valueCount += 1 }
  }

  /// Records a completion that the library's subscriber has received.
  func receive<Failure>(completion: Subscribers.Completion<Failure>) {
    stage.add("\(self) gets \(completion)")
    checkOrder("a completion")
    stage.perform(.completion(subscriber: number, count: completionCount)) { completionCount += 1 }
  }

  private func checkOrder(_ event: String) {
    if completionCount > 0 { stage.broken(.nothingAfterCompletion, "\(self) got \(event)") }
    if let law = departure.lawBrokenByEvent(on: stage) { stage.broken(law, "\(self) got \(event)") }
  }

  func request(_ amount: Script.Amount) {}

  func cancel() {
    guard cancellable != nil else { return }
    stage.add("\(self) cancels")
    departure.begin(on: stage, afterCompletion: completionCount > 0)
    stage.deeper {
      if isLetGo {
        letGo()
      } else {
        cancellable?.cancel()
      }
    }
    departure.end()
  }

  private func letGo() {
    let cancellable = cancellable
    self.cancellable = nil
    withExtendedLifetime(cancellable) {}
  }

  private var isCancelled: Bool { departure.isCancelled }
  var hasLeft: Bool { departure.isBeforeCompletion }
  var isCancelEarly: Bool { departure.isEarly }
  var hasEnded: Bool { isCancelled || completionCount > 0 }

  func tearDown() { letGo() }
}
