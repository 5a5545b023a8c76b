import Synchronization

/// A subject that keeps one value, sends it to new subscribers, and passes on each change of it.
///
/// ```swift
/// let subject = CurrentValueSubject<Int, Never>(1)
/// let cancellable = subject.sink { print($0) }  // prints 1
/// subject.value = 2  // prints 2
/// ```
///
/// A subscriber without demand misses changes; its next request is answered with the value current then, once.
/// The subject may be used from several threads. Calls to one subscriber are made one after the other.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {

  @usableFromInline
  let core = CurrentValueCore<Output, Failure>()

  @usableFromInline
  let valueLock = Lock()

  @exclusivity(unchecked)  // These three: only with `valueLock` held.
  @usableFromInline
  var currentValue: Output

  /// How many values there have been.
  @exclusivity(unchecked)
  @usableFromInline
  var number = 0

  /// The thread that sent the last.
  @exclusivity(unchecked)
  @usableFromInline
  var sender: UInt = 0

  /// Creates a subject with a value.
  ///
  /// - Parameter value: The first value.
  public init(_ value: Output) {
    currentValue = value
  }

  deinit {
    core.cancelUpstreams()
  }

  /// The present value. Setting it sends it; after the completion it is replaced, and nobody is told.
  @inlinable
  public var value: Output {
    get { valueLock.withLock { currentValue } }
    set {
      let number = store(newValue)
      core.send(newValue, number: number)
    }
  }

  /// Gives the subject an upstream subscription, which is asked for unlimited demand at once, kept for the subject's
  /// life, and cancelled then.
  ///
  /// - Parameter subscription: The subscription to the upstream.
  public func send(subscription: any Subscription) {
    _ = core.keep(subscription)
    subscription.request(.unlimited)
  }

  /// Attaches a subscriber, which gets the present value when it first asks for one.
  ///
  /// After the subject's completion it gets that completion at once, and no value.
  ///
  /// - Parameter subscriber: The subscriber.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    core.attach(subscriber, to: self)
  }

  /// Replaces the value and sends it to each subscriber that has demand. After the completion it does nothing.
  ///
  /// - Parameter input: The new value.
  /// - Complexity: O(*n*) for *n* subscribers.
  @inlinable
  public func send(_ input: Output) {
    guard !core.hasEnded.load(ordering: .acquiring) else { return }
    value = input
  }

  /// Ends the subject: each subscriber gets the completion. Does nothing when it has ended before.
  ///
  /// - Parameter completion: Whether the subject finished or failed.
  public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }

  /// Replaces the value; the old one is released with the lock free.
  ///
  /// - Returns: The number of the new value.
  @inlinable
  func store(_ input: Output) -> Int {
    let (old, number) = valueLock.withLock {
      self.number += 1
      sender = Platform.currentThread
      return (exchange(&currentValue, with: input), self.number)
    }
    _ = old
    return number
  }
}

/// What a ``CurrentValueSubject`` is made of, but the value, which goes with the subject.
@usableFromInline
final class CurrentValueCore<Output, Failure: Error>: SubjectCore<Output, Failure, CurrentValueNotes> {

  @usableFromInline
  init() {
    super.init(name: "CurrentValueSubject")
  }

  /// Sends a value to each subscriber that has demand.
  @inlinable
  func send(_ input: Output, number: Int) {
    forEach(Conduit.self) { $0.offerCurrent(input, number: number) }
  }

  override func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    noteRequest(from: subscription)
    // The subject is there as long as it has this subscriber.
    guard let object = lock.withLock({ sustainedObject }) else { return }
    let subject = unsafeDowncast(object, to: CurrentValueSubject<Output, Failure>.self)
    unsafeDowncast(subscription, to: Conduit.self).request(demand) {
      subject.valueLock.withLock { (subject.currentValue, subject.number, subject.sender) }
    }
  }
}

// The state is in atomics and behind locks; values are only passed on, to whichever thread subscribers live on.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
