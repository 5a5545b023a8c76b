import CombineThreads
import CombineCore

extension AnyPublisher {

  /// Creates a publisher from a closure that sends its values and its completion.
  ///
  /// ```swift
  /// let numbers = AnyPublisher<Int, Never> { subscriber in
  ///   subscriber.send(1)
  ///   subscriber.send(completion: .finished)
  ///   return AnyCancellable { print("clean up") }
  /// }
  /// let cancellable = numbers.sink { print($0) }  // prints 1, clean up
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter factory: A closure that is called for each subscription; see `ExtraPublishers.Create`.
  @inlinable
  public init(_ factory: @escaping ExtraPublishers.Create<Output, Failure>.SubscriberHandler) {
    self = ExtraPublishers.Create(factory: factory).eraseToAnyPublisher()
  }
}

extension ExtraPublishers {

  /// A publisher that gets its values from a closure, which sends them whenever it likes, on any thread.
  ///
  /// The closure is called for each subscription, before the subscriber receives its subscription. Values for which
  /// there is no demand wait in a queue without a limit. A completion overtakes those for which there is no demand
  /// then, and they are dropped. Before the first request it waits, if values wait. `request(.none)` is a request in
  /// this sense.
  ///
  /// The cancellable that the closure returns is cancelled once: after the completion, when the subscriber cancels, or
  /// when it drops its subscription. What is sent later has no effect.
  ///
  /// ```swift
  /// let ticks = ExtraPublishers.Create<Int, Never> { subscriber in
  ///   let task = Task {
  ///     for tick in 1...3 { subscriber.send(tick) }
  ///     subscriber.send(completion: .finished)
  ///   }
  ///   return AnyCancellable { task.cancel() }
  /// }
  /// let cancellable = ticks.sink { print($0) }
  /// cancellable.cancel()
  /// ```
  public struct Create<Output, Failure: Error>: Publisher {

    /// A closure that sends the values of one subscription, and returns what is to be cancelled at its end.
    public typealias SubscriberHandler = (Subscriber) -> any Cancellable

    @usableFromInline
    let factory: SubscriberHandler

    @usableFromInline
    let startsWithRequest: Bool

    @usableFromInline
    let order: CompletionOrder

    /// Creates a publisher from a closure that sends its values and its completion.
    ///
    /// - Parameter factory: A closure that is called for each subscription. It returns what is to be cancelled when the
    ///   subscription ends.
    @inlinable
    public init(factory: @escaping SubscriberHandler) {
      self.factory = factory
      startsWithRequest = false
      order = .overtaking
    }

    /// Creates a publisher from a closure that is called with the first request, and whose completion waits for the
    /// values before it.
    @_spi(Companions)
    @inlinable
    public init(startingWithRequest factory: @escaping SubscriberHandler) {
      self.factory = factory
      startsWithRequest = true
      order = .afterValues
    }

    /// Calls the closure, and gives `subscriber` its subscription.
    @inlinable
    @inline(__always)
    public func receive<S: CombineCore.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.Create(downstream: subscriber, completion: order, factory: factory)
      if !startsWithRequest { conduit.start() }
      conduit.open()
    }

    /// Where the closure of an `ExtraPublishers.Create` sends its values and its completion.
    ///
    /// It may be used on any thread. A thread that sends while another one delivers waits for that. It does not keep
    /// the subscription alive.
    public struct Subscriber: @unchecked Sendable {
      // Sendable: the queue that the closures send to is guarded by its lock.

      @usableFromInline
      let sendValue: (Output) -> Void
      @usableFromInline
      let sendCompletion: (Subscribers.Completion<Failure>, _ isImmediate: Bool) -> Void

      @inlinable
      init(
        sendValue: @escaping (Output) -> Void,
        sendCompletion: @escaping (Subscribers.Completion<Failure>, Bool) -> Void
      ) {
        self.sendValue = sendValue
        self.sendCompletion = sendCompletion
      }

      /// Sends a value to the subscriber, or keeps it until there is demand.
      ///
      /// - Parameter input: The value. After a completion or a cancellation it has no effect.
      @inlinable
      public func send(_ input: Output) {
        sendValue(input)
      }

      /// Sends a completion to the subscriber. Only the first one counts.
      ///
      /// - Parameter completion: The completion.
      @inlinable
      public func send(completion: Subscribers.Completion<Failure>) {
        sendCompletion(completion, false)
      }

      /// Drops the values that wait, and sends a completion.
      @_spi(Companions)
      @inlinable
      public func sendImmediately(completion: Subscribers.Completion<Failure>) {
        sendCompletion(completion, true)
      }
    }
  }
}

extension ExtraConduits {

  @usableFromInline
  final class Create<Downstream: Subscriber>: QueuedConduit<Downstream>, DescribedByName {

    @usableFromInline
    typealias Source = ExtraPublishers.Create<Downstream.Input, Downstream.Failure>

    /// How far the closure is. The end may come while it runs, for it may send a completion.
    @usableFromInline
    enum Stage {
      case waiting(Source.SubscriberHandler)
      case running
      case started(any Cancellable)
      case ended
    }

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var stage: Stage

    @inlinable
    init(downstream: Downstream, completion order: CompletionOrder, factory: @escaping Source.SubscriberHandler) {
      stage = .waiting(factory)
      super.init(downstream: downstream, completion: order)
    }

    /// Calls the closure, unless it was called.
    @inlinable
    func start() {
      let factory = lock.withLock { () -> Source.SubscriberHandler? in
        guard case .waiting(let factory) = stage else { return nil }
        stage = .running
        return factory
      }
      guard let factory else { return }
      let cancellable = factory(
        Source.Subscriber(
          sendValue: { [weak self] in self?.send($0) },
          sendCompletion: { [weak self] completion, isImmediate in
            if isImmediate { self?.sendImmediately(completion: completion) } else { self?.send(completion: completion) }
          }
        )
      )
      let hasEnded = lock.withLock {
        if case .ended = stage { return true }
        stage = .started(cancellable)
        return false
      }
      if hasEnded { cancellable.cancel() }
    }

    @inlinable
    override func request(_ demand: Subscribers.Demand) {
      super.request(demand)
      start()
    }

    @inlinable
    override func receive(demand: Subscribers.Demand) {}

    @inlinable
    override func didEnd() {
      cleanUp()
    }

    deinit {
      cleanUp()
    }

    @inlinable
    func cleanUp() {
      let last = lock.withLock { exchange(&stage, with: .ended) }
      if case .started(let cancellable) = last { cancellable.cancel() }
    }

    @usableFromInline
    var description: String { "Create.Subscription<\(Downstream.Input.self), \(Downstream.Failure.self)>" }
  }
}
