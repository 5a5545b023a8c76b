#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// A subject that serves its subscribers in the order of their subscription. A library's subject may serve them in any
/// order.
final class StageSubject<Output, Failure: Error>: Subject {

  private var subscriptions: [StageSubjectSubscription<Output, Failure>] = []
  private var upstreams: [any Subscription] = []
  private var completion: Subscribers.Completion<Failure>?
  private var hasDemand = false

  deinit {
    for upstream in upstreams { upstream.cancel() }
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    if let completion {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: completion)
      return
    }
    let subscription = StageSubjectSubscription(subject: self, downstream: subscriber)
    subscriptions.append(subscription)
    subscriber.receive(subscription: subscription)
  }

  func send(subscription: any Subscription) {
    upstreams.append(subscription)
    if hasDemand { subscription.request(.unlimited) }
  }

  func send(_ value: Output) {
    guard completion == nil else { return }
    for subscription in subscriptions { subscription.offer(value) }
  }

  func send(completion: Subscribers.Completion<Failure>) {
    guard self.completion == nil else { return }
    self.completion = completion
    let ended = subscriptions
    subscriptions = []
    for subscription in ended { subscription.end(completion) }
  }

  fileprivate func demanded() {
    guard !hasDemand else { return }
    hasDemand = true
    for upstream in upstreams { upstream.request(.unlimited) }
  }

  fileprivate func remove(_ subscription: StageSubjectSubscription<Output, Failure>) {
    subscriptions.removeAll { $0 === subscription }
  }
}

private final class StageSubjectSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible {

  private var subject: StageSubject<Output, Failure>?
  private var downstream: (any Subscriber<Output, Failure>)?
  private var demand = Subscribers.Demand.none

  init(subject: StageSubject<Output, Failure>, downstream: any Subscriber<Output, Failure>) {
    self.subject = subject
    self.downstream = downstream
  }

  var description: String { "StageSubject" }

  func offer(_ value: Output) {
    guard demand > .none, let downstream else { return }
    demand -= 1
    demand += downstream.receive(value)
  }

  func end(_ completion: Subscribers.Completion<Failure>) {
    let last = downstream
    downstream = nil
    subject = nil
    last?.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) {
    guard let subject else { return }
    self.demand += demand
    subject.demanded()
  }

  func cancel() {
    let subject = subject
    let downstream = downstream
    self.subject = nil
    self.downstream = nil
    subject?.remove(self)
    withExtendedLifetime(downstream) {}
  }
}
