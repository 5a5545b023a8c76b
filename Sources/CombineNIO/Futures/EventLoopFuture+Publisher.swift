#if NIO
  import CombineThreads
  import NIOCore

  extension EventLoopFuture where Value: Sendable {

    /// A publisher of the value or the error of this future.
    ///
    /// It is an ``EventLoopFuturePublisher``. The value waits for demand, and the error does not.
    ///
    /// ```swift
    /// func show(_ port: EventLoopFuture<Int>) -> AnyCancellable {
    ///   port.publisher.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// }
    /// ```
    public var publisher: EventLoopFuturePublisher<Value> {
      EventLoopFuturePublisher(future: self)
    }
  }

  /// A publisher that publishes the value of an `EventLoopFuture` and finishes, or fails with its error.
  ///
  /// It behaves like Combine's `Future`. Each subscriber receives the value once it exists and the subscriber has
  /// requested something. An error is published as soon as it exists, without demand.
  ///
  /// The value and the completion are published on the future's event loop, whichever thread requests. A subscriber that
  /// requests on that loop, when the value exists, receives it before the request returns.
  ///
  /// A cancellation drops the value. It does not stop the work behind the future, because SwiftNIO's futures cannot be
  /// cancelled. If the event loop shuts down before the value is requested, the value is lost.
  ///
  /// ```swift
  /// func bytes(of connections: [EventLoopFuture<Int>]) -> AnyPublisher<Int, any Error> {
  ///   Publishers.MergeMany(connections.map(\.publisher)).reduce(0, +).eraseToAnyPublisher()
  /// }
  /// ```
  public struct EventLoopFuturePublisher<Value: Sendable>: Publisher, Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = Value

    /// The kind of errors this publisher can fail with: any error, as a SwiftNIO future.
    public typealias Failure = any Error

    /// The future whose result is published.
    public let future: EventLoopFuture<Value>

    /// Creates a publisher of the result of a future.
    ///
    /// - Parameter future: The future.
    public init(future: EventLoopFuture<Value>) {
      self.future = future
    }

    /// Subscribes `subscriber` to the result of the future.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == any Error {
      let conduit = EventLoopFutureConduit(eventLoop: future.eventLoop, receiver: ErasedReceiver(subscriber))
      subscriber.receive(subscription: conduit)
      conduit.observe(future)
    }
  }

  // MARK: Machine

  /// The pure state of a subscription to a future.
  struct EventLoopFutureMachine<Value>: ~Copyable {

    enum Phase {

      /// The future has no result yet, or nothing has called ``complete(_:)``.
      case waiting(hasDemand: Bool)

      /// The value exists, and nothing was requested.
      case holding(Value)

      /// Something was requested later. The value is to be delivered on the loop.
      case due(Value)

      case ended
    }

    private(set) var phase = Phase.waiting(hasDemand: false)

    /// Notes a request.
    ///
    /// - Returns: Whether there is a value to take on the loop.
    mutating func request() -> Bool {
      switch phase {
      case .waiting:
        phase = .waiting(hasDemand: true)
        return false
      case .holding(let value):
        phase = .due(value)
        return true
      case .due, .ended:
        return false
      }
    }

    /// Notes the result.
    ///
    /// - Returns: The result if it is to be delivered now.
    mutating func complete(_ result: Result<Value, any Error>) -> Result<Value, any Error>? {
      guard case .waiting(let hasDemand) = phase else { return nil }
      if case .success(let value) = result, !hasDemand {
        phase = .holding(value)
        return nil
      }
      phase = .ended
      return result
    }

    /// Takes the value that was requested.
    ///
    /// - Returns: The value, or `nil` if the subscription was cancelled meanwhile.
    mutating func take() -> Value? {
      guard case .due(let value) = phase else { return nil }
      phase = .ended
      return value
    }

    /// Ends the state.
    ///
    /// - Returns: The phase before, to be released with no lock held.
    mutating func cancel() -> Phase {
      exchange(&phase, with: .ended)
    }
  }

  // MARK: Conduit

  // Sendable: the lock guards the state and the receiver, and only the loop calls the receiver.
  private final class EventLoopFutureConduit<Value: Sendable>: Subscription, DescribedByName, @unchecked Sendable {

    private let eventLoop: any EventLoop
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var machine = EventLoopFutureMachine<Value>()

    @exclusivity(unchecked)  // Only with the lock held.
    private var receiver: ErasedReceiver<Value>?

    init(eventLoop: any EventLoop, receiver: ErasedReceiver<Value>) {
      self.eventLoop = eventLoop
      self.receiver = receiver
    }

    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("EventLoopFuture")
      guard lock.withLock({ machine.request() }) else { return }
      if eventLoop.inEventLoop { return deliver() }
      eventLoop.execute({ self.deliver() }, ifDropped: { self.loopDidDrop() })
    }

    /// Waits for the result of the future.
    func observe(_ future: EventLoopFuture<Value>) {
      if eventLoop.inEventLoop { return future.whenComplete { self.complete($0) } }
      eventLoop.execute({ future.whenComplete { self.complete($0) } }, ifDropped: { self.loopDidDrop() })
    }

    /// The event loop has shut down.
    private func loopDidDrop() {
      let (phase, receiver) = lock.withLock { (machine.cancel(), exchange(&self.receiver, with: nil)) }
      withExtendedLifetime(phase) { receiver?.complete(.failure(EventLoopError.shutdown)) }
    }

    /// Takes the result of the future, on the loop.
    func complete(_ result: Result<Value, any Error>) {
      guard let result = lock.withLock({ machine.complete(result) }) else { return }
      send(result)
    }

    private func deliver() {
      guard let value = lock.withLock({ machine.take() }) else { return }
      send(.success(value))
    }

    private func send(_ result: Result<Value, any Error>) {
      switch result {
      case .success(let value):
        guard let receiver = lock.withLock({ self.receiver }) else { return }
        _ = receiver.receive(value)
        // The subscriber may have cancelled inside `receive(_:)`.
        lock.withLock { exchange(&self.receiver, with: nil) }?.complete(.finished)
      case .failure(let error):
        lock.withLock { exchange(&receiver, with: nil) }?.complete(.failure(error))
      }
    }

    func cancel() {
      let (phase, receiver) = lock.withLock { (machine.cancel(), exchange(&self.receiver, with: nil)) }
      withExtendedLifetime((phase, receiver)) {}
    }

    var description: String { "EventLoopFuture" }
  }
#endif
