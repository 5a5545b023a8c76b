/// Subscribes a subject to a publisher: what the publisher sends, the subject sends on. It holds the subject weakly.
final class SubjectSubscriber<S: Subject>: Subscriber, Subscription {

  typealias Input = S.Output
  typealias Failure = S.Failure

  private let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  private weak var subject: S?

  @exclusivity(unchecked)
  private var upstream = UpstreamState.awaiting

  init(_ subject: S) {
    self.subject = subject
  }

  func receive(subscription: any Subscription) {
    let subject = lock.withLock { () -> S? in
      guard let subject = self.subject, upstream.accept(subscription) else { return nil }
      return subject
    }
    subject?.send(subscription: self)
  }

  func receive(_ input: S.Output) -> Subscribers.Demand {
    lock.withLock { upstream.isSubscribed ? subject : nil }?.send(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<S.Failure>) {
    guard let subject = lock.withLock({ upstream.isSubscribed ? subject : nil }) else { return }
    subject.send(completion: completion)
    lock.withLock { self.subject = nil }
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { upstream.subscription }?.request(demand)
  }

  func cancel() {
    let subscription = lock.withLock { () -> (any Subscription)? in
      guard subject != nil else { return nil }
      subject = nil
      return upstream.disconnect()
    }
    subscription?.cancel()
  }
}

extension SubjectSubscriber: DescribedByName {

  var description: String { "Subject" }

  var reflectedChildren: KeyValuePairs<String, Any> {
    let (subject, subscription) = lock.withLock { (self.subject, upstream.subscription) }
    return [
      "downstreamSubject": subject as Any,
      "upstreamSubscription": subscription as Any,
      "subject": subject as Any,
    ]
  }
}
