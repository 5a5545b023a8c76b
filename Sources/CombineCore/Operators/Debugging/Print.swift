import CombineThreads

extension Publisher {

  /// Prints a line for each event that passes through.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].print("letters")  // Five lines: the subscription, the request, a, b, and the end.
  ///   "a--b--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let cancellable = [1, 2].publisher
  ///   .print("numbers")
  ///   .sink { _ in }
  /// // numbers: receive subscription: ([1, 2])
  /// // numbers: request unlimited
  /// // numbers: receive value: (1)
  /// // numbers: receive value: (2)
  /// // numbers: receive finished
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: The text at the beginning of each line, followed by a colon and a space. If it is empty, they are
  ///     omitted, too.
  ///   - stream: The stream that receives the lines. Without one, they go to the standard output.
  /// - Returns: A publisher of the same events.
  @inlinable
  public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}

extension Publishers {

  /// A publisher that prints a line for each event that passes through.
  public struct Print<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The text at the beginning of each line, followed by a colon and a space.
    ///
    /// If it is empty, they are omitted, too.
    public let prefix: String

    /// The publisher whose events are printed.
    public let upstream: Upstream

    /// The stream that receives the lines.
    ///
    /// Without one, they go to the standard output.
    public let stream: (any TextOutputStream)?

    /// Creates a publisher that prints the events of another publisher.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose events are printed.
    ///   - prefix: The text at the beginning of each line, followed by a colon and a space. If it is empty, they are
    ///     omitted, too.
    ///   - stream: The stream that receives the lines. Without one, they go to the standard output.
    @inlinable
    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(Conduits.Print(downstream: subscriber, log: EventLog(prefix: prefix, stream: stream)))
    }
  }
}

// MARK: Conduit

/// The destination of `print`'s lines. It is thread-safe.
@usableFromInline
final class EventLog {

  private let prefix: String
  private let lock = Lock()

  // Touched only with the lock held, so accesses never overlap.
  @exclusivity(unchecked)
  private var stream: (any TextOutputStream)?

  @usableFromInline
  init(prefix: String, stream: (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : prefix + ": "
    self.stream = stream
  }

  /// Writes one line with one call of the standard `print`.
  ///
  /// No lock is held meanwhile, because the stream may run any code. The line is written to a copy of the stream, which
  /// then replaces the original. A stream of a value type therefore keeps its state. Of two writes at the same time,
  /// the later replacement prevails.
  @usableFromInline
  func write(_ event: String) {
    let line = prefix + event
    guard var copy = lock.withLock({ stream }) else {
      Swift.print(line)
      return
    }
    // The default arguments are spelled out. Without them, the compiler (Swift 6.3) crashes on a stream of any type.
    Swift.print(line, separator: " ", terminator: "\n", to: &copy)
    let old = lock.withLock { exchange(&stream, with: copy) }
    _ = old  // Released outside the lock.
  }
}

extension Conduits {

  /// Logs every event in every state. Elements and completions also pass in every state.
  @usableFromInline
  final class Print<Downstream: Subscriber>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let log: EventLog

    @inlinable
    init(downstream: Downstream, log: EventLog) {
      self.downstream = downstream
      self.log = log
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
      log.write("receive subscription: (\(subscription))")
      if accept(subscription) { downstream.receive(subscription: self) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      log.write("receive value: (\(input))")
      let demand = downstream.receive(input)
      if demand != .none { log.write("\(Self.line(for: demand)) (synchronous)") }
      return demand
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      switch completion {
      case .finished: log.write("receive finished")
      case .failure(let error): log.write("receive error: (\(error))")
      }
      _ = terminate()
      downstream.receive(completion: completion)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      log.write(Self.line(for: demand))
      super.request(demand)
    }

    @usableFromInline
    override func cancel() {
      log.write("receive cancel")
      super.cancel()
    }

    @usableFromInline
    static func line(for demand: Subscribers.Demand) -> String {
      if let count = demand.max { "request max: (\(count))" } else { "request unlimited" }
    }

    @usableFromInline
    var description: String { "Print" }
  }
}
