import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// What a script can do with something that is attached to the pipeline.
protocol SubscriberControl: AnyObject {
  func request(_ amount: Script.Amount)
  func cancel()

  /// Whether it cancelled before it got a completion.
  var hasLeft: Bool { get }

  /// Whether it was first cancelled before all sources had given their subscriptions.
  var isCancelEarly: Bool { get }

  /// Whether it was cancelled or has got a completion.
  var hasEnded: Bool { get }

  func tearDown()
}

/// A subscriber that writes down what it sees, does what the script says, and checks the laws that hold for every
/// subscriber of every operator.
final class Recorder<Input, Failure: Error>: Subscriber, SubscriberControl, CustomStringConvertible {

  private let number: Int
  private unowned let stage: Stage
  private let census: Census
  private let show: (Input) -> String

  private var subscription: (any Subscription)?

  // How many of each kind of callback there were.
  private var subscriptionCount = 0
  private var valueCount = 0
  private var completionCount = 0

  /// What was asked for and has not come.
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
    // The name of a type is different in each library.
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
    // Unlimited demand stays so.
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
    // The empty subscription is one for all, so nobody knows of a cancel: the completion that comes with it comes.
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

/// How a subscriber left by a cancel, and what may still come to it.
private struct Departure {

  /// Whether the first cancel has returned. A cancel inside it returns earlier, and ends nothing.
  private(set) var isCancelled = false

  private var cancelsUnderWay = 0

  /// Whether it was first cancelled before all sources had given their subscriptions.
  private(set) var isEarly = false

  /// Whether it cancelled before it got a completion.
  private(set) var isBeforeCompletion = false

  /// The actions that may still bring an event, one each, as they were in a closure at the cancel.
  private var actionsAtWork: [Int] = []

  /// Takes note of a cancel that begins.
  mutating func begin(on stage: Stage, afterCompletion isAfterCompletion: Bool) {
    if !isAfterCompletion { isBeforeCompletion = true }
    cancelsUnderWay += 1
    guard !isCancelled, cancelsUnderWay == 1 else { return }
    isEarly = !stage.isConnected
    actionsAtWork = stage.actionsInClosures + stage.actionsInReleases
  }

  /// Takes note of a cancel that has returned.
  mutating func end() {
    cancelsUnderWay -= 1
    if cancelsUnderWay == 0 { isCancelled = true }
  }

  /// Takes note of an event that has arrived.
  mutating func lawBrokenByEvent(on stage: Stage) -> Law? {
    guard isCancelled else { return nil }
    if let index = actionsAtWork.lastIndex(where: { $0 == stage.currentAction }) {
      actionsAtWork.remove(at: index)
      return nil
    }
    return isEarly ? .earlyCancel : .nothingAfterCancel
  }
}

/// What stands for a subscriber of the library's own, which calls closures and can be cancelled and no more: what `sink`
/// and `assign` make.
final class CancellableControl: SubscriberControl, CustomStringConvertible {

  let number: Int
  private unowned let stage: Stage
  private let isLetGo: Bool
  var cancellable: (any Cancellable)?

  private var valueCount = 0
  private var completionCount = 0
  private var departure = Departure()

  /// - Parameter isLetGo: Whether it is cancelled by letting it go.
  init(number: Int, stage: Stage, isLetGo: Bool) {
    self.number = number
    self.stage = stage
    self.isLetGo = isLetGo
  }

  var description: String { "down\(number)" }

  /// The library's subscriber has handed out a value.
  func receive(_ value: String) {
    stage.add("\(self) gets \(value)")
    checkOrder("a value")
    stage.perform(.value(subscriber: number, count: valueCount)) { valueCount += 1 }
  }

  /// The library's subscriber has handed out a completion.
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
