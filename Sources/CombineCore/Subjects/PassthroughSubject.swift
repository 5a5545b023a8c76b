import Synchronization

/// A subject that publishes each value it is sent.
///
/// It keeps no value. A value that is sent while there is no subscriber, or none with demand, is lost.
///
/// ```swift
/// let subject = PassthroughSubject<Int, Never>()
/// let cancellable = subject.sink { print($0) }
/// subject.send(1)  // prints 1
/// ```
///
/// The subject is thread-safe. It sends one value at a time: a thread that sends while another one does waits for its turn.
public final class PassthroughSubject<Output, Failure: Error>: Subject {

  @usableFromInline
  let core: PassthroughCore<Output, Failure>

  /// Creates a subject without subscribers.
  public init() {
    core = PassthroughCore(name: "PassthroughSubject")
  }

  /// Creates a subject for the subscribers of a publisher.
  ///
  /// - Parameter name: The description of the subscriptions.
  package init(subscriptionsNamed name: String) {
    core = PassthroughCore(name: name)
  }

  deinit {
    core.cancelUpstreams()
  }

  /// Passes the subject an upstream subscription.
  ///
  /// The subject requests unlimited demand from it once any subscriber has requested something. It keeps the
  /// subscription until it is itself deallocated, and then cancels it.
  ///
  /// - Parameter subscription: The subscription to the upstream.
  public func send(subscription: any Subscription) {
    if core.keep(subscription) { subscription.request(.unlimited) }
  }

  /// Subscribes `subscriber`, which from then on receives each value that is sent while it has demand.
  ///
  /// After the subject has completed, the subscriber receives the completion immediately.
  ///
  /// - Parameter subscriber: The subscriber.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.subscribe(subscriber, to: self)
  }

  /// Sends a value to each subscriber that has demand.
  ///
  /// - Parameter input: The value.
  /// - Complexity: O(*n*) for *n* subscribers.
  @inlinable
  public func send(_ input: Output) {
    withUnsafePointer(to: input) { core.send($0) }
  }

  /// Completes the subject and sends the completion to each subscriber.
  ///
  /// It does nothing if the subject has completed before.
  ///
  /// - Parameter completion: The completion: finished or failed.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }
}

/// The core of a ``PassthroughSubject``.
@usableFromInline
final class PassthroughCore<Output, Failure: Error>: SubjectCore<Output, Failure> {

  @usableFromInline
  init(name: String) {
    super.init(name: name)
  }

  /// Sends a value to each subscriber that has demand.
  @inlinable
  @inline(__always)
  func send(_ input: Output) {
    withUnsafePointer(to: input) { send(UnsafeRawPointer($0)) }
  }

  override func didRequest() { requestFromUpstreams() }
}

// Atomics hold the state, or locks guard it. A value is only passed on, perhaps to another thread.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
