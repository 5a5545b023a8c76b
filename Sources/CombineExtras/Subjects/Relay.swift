import CombineCore

/// A publisher that one sends values to, and that completes only when it is deallocated.
///
/// A relay is a subject without a completion: nobody can end it by accident. ``PassthroughRelay`` sends what it accepts,
/// and ``CurrentValueRelay`` keeps the latest value as well.
public protocol Relay: Publisher where Failure == Never {

  /// Sends a value to the subscribers.
  func accept(_ value: Output)

  /// Feeds this relay with the values of a publisher. Its completion is not passed on.
  func subscribe<P: Publisher>(_ publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never
}

extension Relay where Output == Void {

  /// Sends a `Void` value to the subscribers.
  ///
  /// ```swift
  /// let taps = PassthroughRelay<Void>()
  /// let cancellable = taps.sink { print("tapped") }
  /// taps.accept()  // prints tapped
  /// cancellable.cancel()
  /// ```
  @inlinable
  public func accept() {
    accept(())
  }
}

extension Publisher where Failure == Never {

  /// Feeds a relay with the values of this publisher.
  ///
  /// The completion of this publisher is not passed on, and the relay stays open.
  ///
  /// ```swift
  /// let relay = PassthroughRelay<Int>()
  /// let cancellable = relay.sink { print($0) }
  /// let feed = Just(1).subscribe(relay)  // prints 1
  /// feed.cancel()
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter relay: The relay, which is not kept alive.
  /// - Returns: A cancellable. Cancelling or releasing it ends the feed.
  @inlinable
  public func subscribe<R: Relay>(_ relay: R) -> AnyCancellable where R.Output == Output {
    relay.subscribe(self)
  }
}

/// A relay that sends each value that it accepts to its subscribers.
///
/// A subscriber without demand misses a value, as with a `PassthroughSubject`.
///
/// ```swift
/// let relay = PassthroughRelay<String>()
/// let cancellable = relay.sink { print($0) }
/// relay.accept("a")  // prints a
/// cancellable.cancel()
/// ```
public final class PassthroughRelay<Output>: Relay {

  /// The kind of errors this publisher can fail with: none.
  public typealias Failure = Never

  @usableFromInline
  let subject = PassthroughSubject<Output, Never>()
  @usableFromInline
  let entry: RelayEntry<PassthroughSubject<Output, Never>>

  /// Creates a relay.
  @inlinable
  public init() {
    entry = RelayEntry(subject)
  }

  deinit {
    subject.send(completion: .finished)
  }

  /// Sends a value to the subscribers that have demand.
  ///
  /// - Parameter value: The value.
  @inlinable
  public func accept(_ value: Output) {
    subject.send(value)
  }

  /// Subscribes `subscriber` to the values that follow.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subject.receive(subscriber: subscriber)
  }

  /// Feeds this relay with the values of a publisher, which is asked for values when a subscriber of the relay asks.
  ///
  /// - Parameter publisher: The publisher. Its completion is not passed on.
  /// - Returns: A cancellable. Cancelling or releasing it ends the feed.
  @inlinable
  public func subscribe<P: Publisher>(_ publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.subscribe(entry)
  }

  /// Feeds another relay with the values of this one.
  ///
  /// - Parameter relay: The relay that is fed.
  /// - Returns: A cancellable. Cancelling or releasing it ends the feed.
  @inlinable
  public func subscribe<P: Relay>(_ relay: P) -> AnyCancellable where P.Output == Output {
    relay.subscribe(subject)
  }
}

// The subject is thread-safe.
extension PassthroughRelay: @unchecked Sendable where Output: Sendable {}

/// A relay that sends its latest value to a new subscriber, and then each value that it accepts.
///
/// A subscriber without demand receives the latest value when it asks, as with a `CurrentValueSubject`.
///
/// ```swift
/// let relay = CurrentValueRelay("a")
/// let cancellable = relay.sink { print($0) }  // prints a
/// relay.accept("b")  // prints b
/// cancellable.cancel()
/// ```
public final class CurrentValueRelay<Output>: Relay {

  /// The kind of errors this publisher can fail with: none.
  public typealias Failure = Never

  @usableFromInline
  let subject: CurrentValueSubject<Output, Never>
  @usableFromInline
  let entry: RelayEntry<CurrentValueSubject<Output, Never>>

  /// The latest value.
  public var value: Output { subject.value }

  /// Creates a relay.
  ///
  /// - Parameter value: The first value.
  @inlinable
  public init(_ value: Output) {
    subject = CurrentValueSubject(value)
    entry = RelayEntry(subject)
  }

  deinit {
    subject.send(completion: .finished)
  }

  /// Replaces the latest value, and sends it to the subscribers.
  ///
  /// - Parameter value: The new value.
  @inlinable
  public func accept(_ value: Output) {
    subject.send(value)
  }

  /// Subscribes `subscriber` to the latest value and those that follow.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    subject.receive(subscriber: subscriber)
  }

  /// Feeds this relay with the values of a publisher, which is asked for everything at once.
  ///
  /// - Parameter publisher: The publisher. Its completion is not passed on.
  /// - Returns: A cancellable. Cancelling or releasing it ends the feed.
  @inlinable
  public func subscribe<P: Publisher>(_ publisher: P) -> AnyCancellable where P.Output == Output, P.Failure == Never {
    publisher.subscribe(entry)
  }

  /// Feeds another relay with the values of this one.
  ///
  /// - Parameter relay: The relay that is fed.
  /// - Returns: A cancellable. Cancelling or releasing it ends the feed.
  @inlinable
  public func subscribe<P: Relay>(_ relay: P) -> AnyCancellable where P.Output == Output {
    relay.subscribe(subject)
  }
}

// The subject is thread-safe.
extension CurrentValueRelay: @unchecked Sendable where Output: Sendable {}

/// The subject that feeds a relay: it takes values over, and no completion. It lives as long as the relay.
@usableFromInline
final class RelayEntry<S: Subject>: Subject where S.Failure == Never {

  @usableFromInline
  typealias Output = S.Output
  @usableFromInline
  typealias Failure = Never

  @usableFromInline
  let subject: S

  @inlinable
  init(_ subject: S) {
    self.subject = subject
  }

  @inlinable
  func send(_ value: S.Output) {
    subject.send(value)
  }

  @inlinable
  func send(completion: Subscribers.Completion<Never>) {}

  @inlinable
  func send(subscription: any Subscription) {
    subject.send(subscription: subscription)
  }

  @inlinable
  func receive<D: Subscriber>(subscriber: D) where D.Input == S.Output, D.Failure == Never {
    subject.receive(subscriber: subscriber)
  }
}
