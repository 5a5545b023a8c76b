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
  var isCancelled: Bool { get }

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
  private(set) var isCancelled = false
  private(set) var hasLeft = false
  private(set) var isCancelEarly = false

  /// The actions that may still bring an event, one each, as they were in an operator's closure at the cancel.
  private var actionsAtWork: [Int] = []

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
    if outstanding == .none { stage.broken(.demand, "\(self) got a value that it had not asked for") }
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
    guard isCancelled else { return }
    if let index = actionsAtWork.lastIndex(where: { $0 == stage.currentAction }) {
      actionsAtWork.remove(at: index)
    } else {
      stage.broken(isCancelEarly ? .earlyCancel : .nothingAfterCancel, "\(self) got \(event)")
    }
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
    if completionCount == 0 { hasLeft = true }
    if !isCancelled {
      isCancelEarly = !stage.isConnected
      actionsAtWork = stage.actionsInClosures
    }
    stage.deeper { subscription.cancel() }
    isCancelled = true
  }

  var hasEnded: Bool { isCancelled || completionCount > 0 }

  func tearDown() {
    let subscription = subscription
    self.subscription = nil
    withExtendedLifetime(subscription) {}
  }
}

/// Something that can be cancelled and no more: what `sink` and `assign` return.
final class CancellableControl: SubscriberControl {

  private let number: Int
  private unowned let stage: Stage
  private var cancellable: (any Cancellable)?
  private(set) var isCancelled = false
  let isCancelEarly = false
  var hasLeft: Bool { isCancelled }
  var hasEnded: Bool { isCancelled }

  init(number: Int, stage: Stage, _ cancellable: any Cancellable) {
    self.number = number
    self.stage = stage
    self.cancellable = cancellable
  }

  func request(_ amount: Script.Amount) {}

  func cancel() {
    stage.add("down\(number) cancels")
    stage.deeper { cancellable?.cancel() }
    isCancelled = true
  }

  func tearDown() { cancellable = nil }
}
