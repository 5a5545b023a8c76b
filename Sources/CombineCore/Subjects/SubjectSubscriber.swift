import CombineThreads
import Synchronization

/// By what a subject is connected to a publisher.
@usableFromInline
package enum SubjectConnection {

  /// By `subscribe(_:)`. A subscription that comes after the cancel is ignored, as in Combine, and so is a cancel before
  /// the subscription.
  case subject

  /// By an operator that shares its upstream. A subscription that comes after the cancel is cancelled.
  case shared

  /// By `assign(to:)`. A subscription that comes after the property is gone is cancelled, and a completion is ignored, but
  /// nothing of the pipeline remains after it.
  case property
}

/// The subscriber that connects a publisher to a subject. It sends each event to the subject, which it holds weakly.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, Subscription {

  @usableFromInline
  typealias Input = S.Output

  @usableFromInline
  typealias Failure = S.Failure

  @usableFromInline
  enum Phase: UInt8 {
    case awaiting, subscribed, completing, completed, cancelled
  }

  private let lock = Lock()

  /// Written with the lock held. A value reads it without the lock.
  @usableFromInline
  let phaseWord = Atomic<UInt8>(Phase.awaiting.rawValue)

  @exclusivity(unchecked)  // Only with the lock held.
  private var upstream: (any Subscription)?

  @exclusivity(unchecked)  // Never written after `init`, and reading a weak reference is safe from any thread.
  @usableFromInline
  weak var weakSubject: S?

  /// The core of a `PassthroughSubject`. It does not keep the subject alive, so this reference is strong, and a value
  /// costs neither a lock nor a retain. The core holds this object in turn until the subject is deallocated.
  private let core: PassthroughCore<S.Output, S.Failure>?

  @usableFromInline
  let borrowedCore: Unmanaged<PassthroughCore<S.Output, S.Failure>>?

  @usableFromInline
  let connection: SubjectConnection

  @usableFromInline
  init(_ subject: S, as connection: SubjectConnection = .subject) {
    weakSubject = subject
    self.connection = connection
    let core = (subject as? PassthroughSubject<S.Output, S.Failure>)?.core
    self.core = core
    borrowedCore = core.map { .passUnretained($0) }
  }

  @inlinable
  var phase: Phase {
    Phase(rawValue: phaseWord.load(ordering: .acquiring)).unsafelyUnwrapped
  }

  /// The subject, until this subscriber has completed or was cancelled.
  private var subject: S? {
    switch phase {
    case .awaiting, .subscribed, .completing: weakSubject
    case .completed, .cancelled: nil
    }
  }

  /// Changes the phase if it is `expected`. Called with the lock held.
  private func advance(from expected: Phase, to next: Phase) -> Bool {
    guard phase == expected else { return false }
    phaseWord.store(next.rawValue, ordering: .releasing)
    return true
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    let subject = weakSubject
    let (isFirst, isLate) = lock.withLock {
      guard subject != nil, advance(from: .awaiting, to: .subscribed) else {
        return (false, connection == .shared && phase == .cancelled || connection == .property)
      }
      upstream = subscription
      return (true, false)
    }
    if isFirst { subject?.send(subscription: self) }
    if isLate { subscription.cancel() }
  }

  @inlinable
  func receive(_ input: S.Output) -> Subscribers.Demand {
    // A property takes a value whenever it comes, as in Combine.
    guard phase == .subscribed || connection == .property else { return DeliveryReceipt.refuse() }
    if let borrowedCore {
      borrowedCore._withUnsafeGuaranteedRef { $0.send(input) }
    } else {
      weakSubject?.send(input)
    }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<S.Failure>) {
    if connection == .property {
      let released = lock.withLock { exchange(&upstream, with: nil) }
      return withExtendedLifetime(released) {}  // Released with the lock free.
    }
    guard let subject = weakSubject, lock.withLock({ advance(from: .subscribed, to: .completing) }) else { return }
    subject.send(completion: completion)
    _ = lock.withLock { advance(from: .completing, to: .completed) }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    guard weakSubject != nil else { return }
    lock.withLock { upstream }?.request(demand)
  }

  /// Cancels the upstream, also after the subject was deallocated, as no other code would.
  ///
  /// After the completion it only releases the upstream. The upstream may hold this subscriber, as a stateful operator
  /// holds its downstream, and the subject calls this method when it is deallocated.
  @usableFromInline
  func cancel() {
    let (subscription, isConnected) = lock.withLock { () -> ((any Subscription)?, Bool) in
      if connection == .shared, advance(from: .awaiting, to: .cancelled) { return (nil, false) }
      let isConnected = advance(from: .subscribed, to: .cancelled) || advance(from: .completing, to: .cancelled)
      guard isConnected || phase == .completed else { return (nil, false) }
      return (exchange(&upstream, with: nil), isConnected)
    }
    if isConnected { subscription?.cancel() }
  }
}

extension SubjectSubscriber: ExpiringSubscription {

  var hasExpired: Bool {
    phase == .cancelled || connection == .property && lock.withLock { phase == .subscribed && upstream == nil }
  }
}

extension SubjectSubscriber: DescribedByName {

  @usableFromInline
  var description: String { "Subject" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let subject = subject
    return [
      "downstreamSubject": subject as Any,
      "upstreamSubscription": lock.withLock { upstream } as Any,
      "subject": subject as Any,
    ]
  }
}
