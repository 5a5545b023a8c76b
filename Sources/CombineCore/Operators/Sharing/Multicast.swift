import CombineThreads
import Synchronization

extension Publisher {

  /// Publishes the elements of this publisher to many subscribers, through one subject that a closure creates.
  ///
  /// ```swift
  /// marbles {
  ///   "---a--b--|"
  ///   $0[0].multicast { CurrentValueSubject("z") }.autoconnect()
  ///   "z--a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let numbers = [1, 2].publisher.multicast { PassthroughSubject() }
  /// let first = numbers.sink { print("first", $0) }
  /// let second = numbers.sink { print("second", $0) }
  /// let connection = numbers.connect()
  /// // prints first 1, second 1, first 2, second 2
  /// ```
  ///
  /// The subject determines the demand on this publisher. A ``PassthroughSubject`` requests unlimited demand as soon as
  /// any subscriber has requested something.
  ///
  /// - Parameter createSubject: A closure that creates the subject. It is called once, by the first subscription or
  ///   connection.
  /// - Returns: A publisher that sends nothing before it is connected.
  @inlinable
  public func multicast<S: Subject>(_ createSubject: @escaping () -> S) -> Publishers.Multicast<Self, S>
  where Failure == S.Failure, Output == S.Output {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Publishes the elements of this publisher to many subscribers, through one subject.
  ///
  /// ```swift
  /// let subject = PassthroughSubject<String, MarbleError>()
  /// marbles {
  ///   "--a---b---|"
  ///   $0[0].multicast(subject: subject).autoconnect()
  ///     .merge(with: subject.map { $0.uppercased() })
  ///   "--(aA)(bB)|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let subject = PassthroughSubject<Int, Never>()
  /// let numbers = [1, 2].publisher.multicast(subject: subject)
  /// let subscriber = numbers.sink { print($0) }
  /// let connection = numbers.connect()  // prints 1, 2
  /// ```
  ///
  /// - Parameter subject: The subject. The publisher keeps it alive.
  /// - Returns: A publisher that sends nothing before it is connected.
  @inlinable
  public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where Failure == S.Failure, Output == S.Output {
    multicast { subject }
  }
}

extension Publishers {

  /// A publisher that publishes the elements of its upstream to many subscribers, through one subject.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where Upstream.Failure == SubjectType.Failure, Upstream.Output == SubjectType.Output {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are published.
    public let upstream: Upstream

    /// A closure that creates the subject.
    ///
    /// It is called once.
    public let createSubject: () -> SubjectType

    /// Held while the subject is created, so that only one is created.
    ///
    /// It is not a lock, because the closure may run any code.
    private let creation = Gate()

    @exclusivity(unchecked)  // These two: only inside the gate.
    private var createdSubject: SubjectType?

    @exclusivity(unchecked)
    private var isCreating = false

    /// The address of the latest connection whose upstream has completed within ``connect()``.
    let completedConnection = Atomic<UInt>(0)

    /// Creates a publisher that publishes the elements of another one through a subject.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published.
    ///   - createSubject: A closure that creates the subject. It is called once, by the first subscription or
    ///     connection.
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    /// Subscribes `subscriber` to the subject, without an effect on the upstream.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == SubjectType.Output, S.Failure == SubjectType.Failure {
      subject.subscribeConduit(Conduits.Multicast(upstream: upstream, downstream: subscriber))
    }

    /// Subscribes the subject to the upstream.
    ///
    /// Each call makes its own connection, which sends each element once more.
    ///
    /// - Returns: A cancellable. Cancelling or releasing it ends this connection. The subscribers stay subscribed. If the
    ///   upstream's subscription arrives only afterwards, it is cancelled.
    @inlinable
    @inline(__always)
    public func connect() -> any Cancellable {
      let subscriber = upstream.connect(subject, as: .shared)
      let connection = AnyCancellable(subscriber)
      note(connection, hasCompleted: subscriber.phase == .completed)
      return connection
    }

    /// Notes a new connection. It may have the address of an old one that has completed.
    @usableFromInline
    func note(_ connection: AnyCancellable, hasCompleted: Bool) {
      let address = address(of: connection)
      if hasCompleted {
        completedConnection.store(address, ordering: .relaxed)
      } else if completedConnection.load(ordering: .relaxed) == address {
        completedConnection.store(0, ordering: .relaxed)
      }
    }

    func address(of connection: AnyCancellable) -> UInt {
      UInt(bitPattern: Unmanaged.passUnretained(connection).toOpaque())
    }

    @usableFromInline
    var subject: SubjectType {
      creation.pass {
        if let createdSubject { return createdSubject }
        if isCreating { Misuse.trap("Multicast", .multicastInsideCreateSubject) }
        isCreating = true
        let subject = createSubject()
        createdSubject = subject
        return subject
      }
    }
  }
}

extension Publishers.Multicast: CompletionReporting {

  func hasCompleted(_ connection: any Cancellable) -> Bool {
    (connection as? AnyCancellable).map { completedConnection.load(ordering: .relaxed) == address(of: $0) } ?? false
  }
}

// MARK: Conduit

extension Conduits {

  @usableFromInline
  final class Multicast<Downstream: Subscriber>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    /// The references that the conduit releases when it ends.
    @usableFromInline
    struct Ends {

      /// Only kept alive here, so its type is irrelevant.
      let upstream: Any

      @usableFromInline
      let downstream: Downstream

      @usableFromInline
      init(upstream: Any, downstream: Downstream) {
        self.upstream = upstream
        self.downstream = downstream
      }
    }

    @usableFromInline
    let ends: Releasable<Ends>

    @inlinable
    init(upstream: Any, downstream: Downstream) {
      ends = Releasable(Ends(upstream: upstream, downstream: downstream))
    }

    @inlinable
    func receive(subscription: any Subscription) {
      if accept(subscription) { ends.hold()?.value.downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard phase == .subscribed else { return DeliveryReceipt.refuse() }
      let more = ends.use { $0.downstream.receive(input) }
      if let more, more != .none { request(more) }
      return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard disconnect() != nil else { return }
      let last = ends.hold()
      ends.end()
      last?.value.downstream.receive(completion: completion)
    }

    @usableFromInline
    override func cancel() {
      guard let subscription = disconnect() else { return }
      subscription.cancel()
      ends.end()
    }

    @usableFromInline
    var description: String { "Multicast" }
  }
}
