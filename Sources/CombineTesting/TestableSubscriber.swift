import CombineCore

/// A subscriber that records the signals it receives and the demand it requests, with their times.
///
/// Create one with ``TestScheduler/createTestableSubscriber(_:_:options:fileID:filePath:line:column:)``.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
/// Just(3).delay(for: 100, scheduler: scheduler).subscribe(subscriber)
/// scheduler.resume()
/// print(subscriber.recordedOutput == [(0, .subscription), (100, .input(3)), (100, .completion(.finished))])
/// // prints true
/// ```
///
/// It can receive signals on any thread.
public final class TestableSubscriber<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {

  private struct State {
    var subscription: (any Subscription)?
    var isCancelled = false
    var balance = Subscribers.Demand.none
    var output = TestSequence<Input, Failure>()
    var demandLog = DemandLedger()

    mutating func credit(_ demand: Subscribers.Demand, at time: VirtualTime) {
      balance += demand
      demandLog.append((time, balance, .credit(amount: demand)))
    }

    /// - Returns: Whether there was demand.
    mutating func debit(at time: VirtualTime) -> Bool {
      let isAuthorized = balance > 0
      if isAuthorized { balance -= 1 }
      demandLog.append((time, balance, .debit(authorized: isAuthorized)))
      return isAuthorized
    }
  }

  /// The decision about a received value.
  private struct Answer {
    var isAuthorized = true
    var isReplenished = false
  }

  private let scheduler: TestScheduler
  private let options: TestableSubscriberOptions
  private let callSite: CallSite
  private let lock = Lock()

  // Sendable: accessed only with the lock held. The handler in the options is called on the thread that breaks the
  // contract, like every closure of a pipeline.
  @exclusivity(unchecked)
  private var state = State()

  init(scheduler: TestScheduler, options: TestableSubscriberOptions, callSite: CallSite) {
    self.scheduler = scheduler
    self.options = options
    self.callSite = callSite
  }

  /// The signals received so far, with their times, in order.
  public var recordedOutput: TestSequence<Input, Failure> {
    lock.withLock { state.output }
  }

  /// The demand requested so far, and the values received for it, in order.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .oneAtATime)
  /// Just(3).subscribe(subscriber)
  /// print(subscriber.recordedDemandLog[0] == (0, .max(1), .credit(amount: .max(1))))  // prints true
  /// ```
  public var recordedDemandLog: DemandLedger {
    lock.withLock { state.demandLog }
  }

  /// Requests elements, in addition to the demand of the options.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self, options: .never)
  /// (1...9).publisher.subscribe(subscriber)
  /// subscriber.request(.max(2))
  /// print(subscriber.recordedOutput.compactMap(\.1.value))  // prints [1, 2]
  /// ```
  ///
  /// - Parameter demand: The number of further elements. Without a subscription, the call has no effect.
  public func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let time = scheduler.now
    let subscription = lock.withLock {
      if state.subscription != nil { state.credit(demand, at: time) }
      return state.subscription
    }
    subscription?.request(demand)
  }

  /// Cancels the subscription. A subscription that arrives later is cancelled too.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
  /// let numbers = PassthroughSubject<Int, Never>()
  /// numbers.subscribe(subscriber)
  /// subscriber.cancel()
  /// numbers.send(3)
  /// print(subscriber.recordedOutput.count)  // prints 1: the subscription
  /// ```
  public func cancel() {
    let subscription = lock.withLock {
      state.isCancelled = true
      return exchange(&state.subscription, with: nil)
    }
    subscription?.cancel()
  }

  /// Records the subscription, and requests the initial demand.
  ///
  /// A second subscription is recorded and cancelled, and so is a subscription after ``cancel()``.
  ///
  /// - Parameter subscription: The subscription to the publisher.
  public func receive(subscription: any Subscription) {
    let time = scheduler.now
    let isWanted = lock.withLock {
      state.output.append((time, .subscription))
      guard !state.isCancelled, state.subscription == nil else { return false }
      state.subscription = subscription
      return true
    }
    if isWanted { request(options.initialDemand) } else { subscription.cancel() }
  }

  /// Records a value.
  ///
  /// - Parameter input: The received value.
  /// - Returns: The subsequent demand if the outstanding demand is used up and the replenishment delay is zero.
  ///   Otherwise none.
  public func receive(_ input: Input) -> Subscribers.Demand {
    let time = scheduler.now
    let answer = lock.withLock {
      state.output.append((time, .input(input)))
      let isAuthorized = state.debit(at: time)
      let isDepleted = isAuthorized && state.balance == .none && state.subscription != nil
      return Answer(isAuthorized: isAuthorized, isReplenished: isDepleted && options.subsequentDemand > .none)
    }
    if !answer.isAuthorized { handleNegativeBalance(of: input, at: time) }
    guard answer.isReplenished else { return .none }
    guard options.demandReplenishmentDelay > 0 else {
      lock.withLock { state.credit(options.subsequentDemand, at: time) }
      return options.subsequentDemand
    }
    scheduler.schedule(after: time + options.demandReplenishmentDelay) { [weak self, options] in
      self?.request(options.subsequentDemand)
    }
    return .none
  }

  /// Records a completion.
  ///
  /// - Parameter completion: The completion of the publisher.
  public func receive(completion: Subscribers.Completion<Failure>) {
    let time = scheduler.now
    let subscription = lock.withLock {
      state.output.append((time, .completion(completion)))
      return exchange(&state.subscription, with: nil)
    }
    withExtendedLifetime(subscription) {}
  }

  private func handleNegativeBalance(of input: Input, at time: VirtualTime) {
    if let handler = options.negativeBalanceHandler { return handler() }
    TestFailure.record(
      """
      TestableSubscriber got a value at \(time) that it had not asked for, \(String(reflecting: input)). \
      Its account: \(recordedDemandLog.debugDescription)
      """,
      at: callSite
    )
  }
}
