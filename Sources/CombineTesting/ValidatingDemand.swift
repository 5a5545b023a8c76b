import CombineCore

extension Publisher {

  /// Fails the test if this publisher breaks its contract with its subscribers, and otherwise changes nothing.
  ///
  /// The test fails if this publisher
  /// - sends a value or a completion before the subscription,
  /// - sends more values than the demand allows, except for Combine's own publishers that send values without demand,
  ///   such as `ObservableObjectPublisher`,
  /// - sends a signal after a completion,
  /// - sends a signal after the subscription was cancelled,
  /// - sends a second subscription to a subscriber.
  ///
  /// A signal that breaks the contract still reaches the downstream. Use this operator directly after your own
  /// publisher or operator, to test it with different demands:
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let oneByOne = TestScheduler.Configuration(subscriberOptions: .batches(of: 1, pause: 10))
  /// let subscriber = scheduler.start(configuration: oneByOne) {
  ///   (1...3).publisher.map { $0 * 2 }.validatingDemand()
  /// }
  /// print(subscriber.recordedOutput.compactMap(\.1.value))  // prints [2, 4, 6]
  /// ```
  ///
  /// Signals may arrive on any thread. A signal that is in progress on one thread while another thread cancels is no
  /// failure. A signal that arrives after `cancel()` has returned is a failure. So if values arrive on other threads,
  /// cancel on the thread that sends them.
  ///
  /// Of Combine's own operators, `delay` and `receive(on:)` break the contract. After their upstream has completed,
  /// they deliver the pending signals even if they were cancelled. Use this operator before them, not after.
  ///
  /// - Parameters:
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: A publisher that publishes what this publisher publishes.
  public func validatingDemand(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> ExtraPublishers.ValidatingDemand<Self> {
    ExtraPublishers.ValidatingDemand(upstream: self, callSite: CallSite(fileID, filePath, line, column))
  }
}

extension ExtraPublishers {

  /// A publisher that fails the test if its upstream breaks the contract with its subscribers.
  ///
  /// Create one with `validatingDemand()`.
  public struct ValidatingDemand<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose signals are checked and republished.
    public let upstream: Upstream

    let callSite: CallSite

    /// Subscribes `subscriber` to the upstream through this operator.
    ///
    /// - Parameter subscriber: The subscriber that receives the elements.
    public func receive<Downstream: Subscriber<Output, Failure>>(subscriber: Downstream) {
      let account = ContractAccount(of: String(describing: Upstream.self), callSite: callSite)
      upstream.subscribe(ValidatingConduit(downstream: subscriber, account: account))
    }
  }
}

extension ExtraPublishers.ValidatingDemand: Sendable where Upstream: Sendable {}

/// A subscriber that records each signal in an account and sends it to its downstream.
private final class ValidatingConduit<Downstream: Subscriber>: Subscriber {

  private let downstream: Downstream
  private let account: ContractAccount

  init(downstream: Downstream, account: ContractAccount) {
    self.downstream = downstream
    self.account = account
  }

  func receive(subscription: any Subscription) {
    account.enter(.subscription)
    downstream.receive(subscription: AccountedSubscription(upstream: subscription, account: account))
  }

  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    account.enter(.value)
    let demand = downstream.receive(input)
    account.add(demand)
    return demand
  }

  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    account.enter(.completion)
    downstream.receive(completion: completion)
  }
}

/// A subscription that records the downstream's demand in an account and requests it from the upstream.
private final class AccountedSubscription: Subscription, CustomStringConvertible {

  private let upstream: any Subscription
  private let account: ContractAccount

  init(upstream: any Subscription, account: ContractAccount) {
    self.upstream = upstream
    self.account = account
  }

  func request(_ demand: Subscribers.Demand) {
    account.add(demand)
    upstream.request(demand)
  }

  func cancel() {
    account.cancel { upstream.cancel() }
  }

  var description: String { "ValidatingDemand" }
}
