import Synchronization

/// A subject that keeps its latest value and publishes each change of it.
///
/// ```swift
/// let subject = CurrentValueSubject<Int, Never>(1)
/// let cancellable = subject.sink { print($0) }  // prints 1
/// subject.value = 2  // prints 2
/// ```
///
/// A new subscriber receives the current value with its first demand. A subscriber without demand misses changes. Its
/// next request delivers the value that is current then, once.
///
/// The subject is thread-safe. It sends one value at a time: a thread that sends while another one does waits for its turn.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {

  @usableFromInline
  let core: CurrentValueCore<Output, Failure>

  /// Creates a subject with an initial value.
  ///
  /// - Parameter value: The initial value.
  public init(_ value: Output) {
    core = CurrentValueCore(value, .storedFirst, name: "CurrentValueSubject")
  }

  deinit {
    core.close()
  }

  /// The current value.
  ///
  /// Setting it sends the new value to the subscribers. After the completion it only replaces the value.
  @inlinable
  public var value: Output {
    get { core.value }
    set { core.send(newValue, replacingAfterEnd: true) }
  }

  /// Passes the subject an upstream subscription.
  ///
  /// The subject requests unlimited demand from it immediately. It keeps the subscription until it is itself
  /// deallocated, and then cancels it.
  ///
  /// - Parameter subscription: The subscription to the upstream.
  public func send(subscription: any Subscription) {
    _ = core.keep(subscription)
    subscription.request(.unlimited)
  }

  /// Subscribes `subscriber`, which receives the current value with its first demand.
  ///
  /// After the subject has completed, the subscriber receives the completion immediately, and no value.
  ///
  /// - Parameter subscriber: The subscriber.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.subscribe(subscriber, to: self)
  }

  /// Replaces the value and sends it to each subscriber that has demand.
  ///
  /// It does nothing after the completion.
  ///
  /// - Parameter input: The new value.
  /// - Complexity: O(*n*) for *n* subscribers.
  @inlinable
  public func send(_ input: Output) {
    core.send(input)
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

// Atomics hold the state, or locks guard it. A value is only passed on, perhaps to another thread.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
