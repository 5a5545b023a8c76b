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
/// The subject is thread-safe. It serializes the calls to each subscriber.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {

  @usableFromInline
  let core = CurrentValueCore<Output, Failure>()

  @usableFromInline
  let valueLock = ValueLock()

  @exclusivity(unchecked)  // Only with `valueLock` held.
  @usableFromInline
  var state: CurrentValueState<Output>

  /// Creates a subject with an initial value.
  ///
  /// - Parameter value: The initial value.
  public init(_ value: Output) {
    state = CurrentValueState(value)
  }

  deinit {
    core.cancelUpstreams()
  }

  /// The current value.
  ///
  /// Setting it sends the new value to the subscribers. After the completion it only replaces the value.
  @inlinable
  public var value: Output {
    get { valueLock.withLock { state.value } }
    set {
      // The traversal begins first, so of two sends at the same time at least one knows of the other:
      //
      //     thread A                            thread B
      //     begins a traversal: it is alone
      //                                         begins a traversal: it is not alone
      //                                         stores value 2, and adds an entry for value 1
      //     stores value 3: there are entries
      //
      // Each then delivers the values in the order of their numbers; see `CurrentValueState`.
      let traversal = core.traversals.begin()
      let thread = Platform.currentThread
      let beginning = begin(newValue, on: thread, isAlone: traversal.isAlone)
      send(newValue, beginning, on: thread, after: {})
      core.end(traversal)
      finish(beginning.number, on: thread)
    }
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
    core.subscribe(subscriber, to: self, after: valueLock.withLock { state.number } - 1)
  }

  /// Replaces the value and sends it to each subscriber that has demand.
  ///
  /// It does nothing after the completion.
  ///
  /// - Parameter input: The new value.
  /// - Complexity: O(*n*) for *n* subscribers.
  @inlinable
  public func send(_ input: Output) {
    guard !core.hasEnded.load(ordering: .acquiring) else { return }
    value = input
  }

  /// Completes the subject and sends the completion to each subscriber.
  ///
  /// It does nothing if the subject has completed before.
  ///
  /// - Parameter completion: The completion: finished or failed.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }

  /// The current value, as the answer to a request.
  ///
  /// - Parameter last: The number of the last value that the subscriber has received.
  func answer(after last: Int) -> CurrentValueAnswer<Output> {
    let thread = Platform.currentThread
    return valueLock.withLock {
      CurrentValueAnswer(
        value: state.value,
        number: state.number,
        sender: state.sender,
        mayRepeat: true,
        overtaken: state.outerNumbers(of: state.number, on: thread, after: last)
      )
    }
  }
}

extension CurrentValueSubject: CurrentValueSending {

  @usableFromInline
  typealias Value = Output

  @inlinable
  var subscribers: SubjectTable { core }

  @inlinable
  @inline(__always)
  func withState<Result>(_ body: (inout CurrentValueState<Output>) -> Result) -> Result {
    valueLock.withLock { body(&state) }
  }
}

/// The core of a ``CurrentValueSubject``. The value is not part of it: it is released with the subject.
@usableFromInline
final class CurrentValueCore<Output, Failure: Error>: SubjectCore<Output, Failure, CurrentValueNotes> {

  @usableFromInline
  init() {
    super.init(name: "CurrentValueSubject")
  }

  override func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    noteRequest(from: subscription)
    guard let subject else { return }
    unsafeDowncast(subscription, to: Conduit.self).request(demand) { subject.answer(after: $0) }
  }

  @usableFromInline
  override func answerRequests(from subscription: SubjectSubscription) {
    guard let subject else { return }
    unsafeDowncast(subscription, to: Conduit.self).answerRequests { subject.answer(after: $0) }
  }

  /// The subject, while it has a subscriber.
  private var subject: CurrentValueSubject<Output, Failure>? {
    lock.withLock { sustainedObject }.map { unsafeDowncast($0, to: CurrentValueSubject<Output, Failure>.self) }
  }
}

// Atomics hold the state, or locks guard it. A value is only passed on, perhaps to another thread.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
