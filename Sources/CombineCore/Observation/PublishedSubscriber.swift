/// A subscriber that assigns elements to a published property, which it does not keep alive.
///
/// The property keeps the subscription until the publisher completes. Then nothing of the pipeline remains.
final class PublishedSubscriber<Value>: Subscriber {

  private let lock = Lock()

  // Never written after `init`, so an element is delivered without taking a lock to read it.
  private weak var subject: PublishedSubject<Value>?

  @exclusivity(unchecked)  // Only with the lock held.
  private var state = State.awaiting

  private enum State {
    case awaiting
    case subscribed(UpstreamSubscriptions.Token)
    case completed
  }

  init(_ subject: PublishedSubject<Value>) {
    self.subject = subject
  }

  func receive(subscription: any Subscription) {
    guard let subject else { return subscription.cancel() }
    let token = subject.keep(subscription)
    let isCompleted = lock.withLock { () -> Bool in
      if case .completed = state { return true }
      state = .subscribed(token)
      return false
    }
    // The publisher may have completed meanwhile, on another thread.
    if isCompleted { return subject.drop(token) }
    subscription.request(.unlimited)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    subject?.send(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    let token = lock.withLock { () -> UpstreamSubscriptions.Token? in
      defer { state = .completed }
      guard case .subscribed(let token) = state else { return nil }
      return token
    }
    if let token { subject?.drop(token) }
  }
}
