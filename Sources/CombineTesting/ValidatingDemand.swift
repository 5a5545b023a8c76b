import CombineCore

extension Publisher {

  /// Makes the test fail when this publisher breaks the contract with its subscribers; else it changes nothing.
  ///
  /// The test fails when this publisher
  /// - sends a value or a completion before the subscription,
  /// - sends more values than were asked for, unless it is one of those that Combine lets send unrequested, as an
  ///   `ObservableObjectPublisher` does,
  /// - sends anything after a completion,
  /// - sends anything after the subscription was cancelled,
  /// - sends a subscriber a second subscription.
  ///
  /// What breaks the contract goes on downstream like everything else. Put it right behind a publisher or an operator
  /// of your own to see whether that keeps the contract whatever its subscribers ask for:
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
  /// Signals may come on any thread. A signal that is under way on one thread while another cancels is no mistake;
  /// what begins to arrive after the call to `cancel()` has returned is taken for one. So where values come on other
  /// threads, cancel on the thread that sends them.
  ///
  /// Of Combine's own operators, `delay` and `receive(on:)` break the contract: when their upstream has ended, they
  /// deliver what is on its way though they are cancelled. Put the checker before them, not behind.
  ///
  /// - Parameters:
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  /// - Returns: A publisher that sends what this one sends.
  public func validatingDemand(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) -> Publishers.ValidatingDemand<Self> {
    Publishers.ValidatingDemand(upstream: self, callSite: CallSite(fileID, filePath, line, column))
  }
}

extension Publishers {

  /// A publisher that makes the test fail when its upstream breaks the contract with its subscribers.
  ///
  /// `validatingDemand()` makes one.
  public struct ValidatingDemand<Upstream: Publisher>: Publisher {

    /// The type of the values: that of the upstream.
    public typealias Output = Upstream.Output

    /// The type of the errors: that of the upstream.
    public typealias Failure = Upstream.Failure

    /// The publisher whose signals are checked and passed on.
    public let upstream: Upstream

    let callSite: CallSite

    /// Attaches a subscriber.
    ///
    /// - Parameter subscriber: The subscriber.
    public func receive<Downstream: Subscriber<Output, Failure>>(subscriber: Downstream) {
      let account = ContractAccount(of: String(describing: Upstream.self), callSite: callSite)
      upstream.subscribe(ValidatingConduit(downstream: subscriber, account: account))
    }
  }
}

extension Publishers.ValidatingDemand: Sendable where Upstream: Sendable {}

/// Enters what comes into an account, and passes it on.
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

/// Enters what the downstream asks for into an account, and passes it on.
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
