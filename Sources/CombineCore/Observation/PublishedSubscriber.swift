/// A subscriber that assigns elements to a published property, which it does not keep alive.
///
/// The property keeps the subscription until the publisher completes. Then nothing of the pipeline remains.
@usableFromInline
final class PublishedSubscriber<Value>: Subscriber {

  @usableFromInline
  typealias Input = Value

  @usableFromInline
  typealias Failure = Never

  private let lock = Lock()

  @exclusivity(unchecked)  // Never written after `init`, and reading a weak reference is safe from any thread.
  @usableFromInline
  weak var subject: PublishedSubject<Value>?

  @exclusivity(unchecked)  // Only with the lock held.
  private var state = State.awaiting

  private enum State {
    case awaiting
    case subscribed(UpstreamSubscriptions.Token)
    case completed
  }

  @inlinable
  init(_ subject: PublishedSubject<Value>) {
    self.subject = subject
  }

  @usableFromInline
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

  @inlinable
  func receive(_ input: Value) -> Subscribers.Demand {
    subject?.send(input)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Never>) {
    let token = lock.withLock { () -> UpstreamSubscriptions.Token? in
      defer { state = .completed }
      guard case .subscribed(let token) = state else { return nil }
      return token
    }
    if let token { subject?.drop(token) }
  }
}
