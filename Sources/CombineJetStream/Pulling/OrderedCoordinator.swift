#if JetStream
  import CombineThreads
  import CombineCore
  import Dispatch

  /// What is read in order.
  struct OrderedSelection: Sendable {

    let connection: Connection
    let stream: String
    let filterSubject: String?
    let start: ConsumerConfiguration.Start
    var headersOnly = false
    let window: Int
    var windowBytes = 16_777_216

    /// Whether the end of the initial entries is told.
    let tellsReady: Bool
  }

  /// Makes the consumers that are read for one subscriber in the order of the stream, one after another.
  ///
  /// Its events come from several threads. All that changes the source happens on the queue, so that sources follow each
  /// other in the order of their attempts.
  ///
  /// `@unchecked Sendable`: the lock guards the machine and the name, and the other properties never change.
  final class OrderedCoordinator: ConnectionMember, @unchecked Sendable {

    /// What is read for now.
    enum Source: Sendable {

      /// Nothing for now.
      case nothing

      /// A consumer with a name.
      case consumer(String, OrderedMachine.Source)

      /// Nothing any more.
      case end
    }

    /// An element of a source, with the number of the attempt.
    enum Signal {
      case message(JetStreamMessage, Int)
      case ready(Int)
    }

    /// An element for the downstream.
    enum Element {
      case message(JetStreamMessage, DeliveryMetadata)

      /// All initial entries were published.
      case ready
    }

    /// Counts the messages of a source up to its last initial one. Used by one thread at a time.
    private final class InitialCount {
      var left: UInt64

      init(_ left: UInt64) { self.left = left }
    }

    /// The time for which the server keeps a consumer that nobody reads, because its process has ended or because its
    /// subscriber requests nothing.
    private static let inactivityThreshold = Duration.seconds(300)

    let sources = PassthroughSubject<Source, JetStreamError>()

    private let selection: OrderedSelection
    private let connection: Connection
    private let queue = DispatchQueue(label: "CombineJetStream.OrderedReading")
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var machine: OrderedMachine

    /// The name of the consumer that is read. Only with the lock held.
    @exclusivity(unchecked)
    private var consumer: String?

    init(_ selection: OrderedSelection) {
      self.selection = selection
      connection = selection.connection
      machine = OrderedMachine(start: selection.start, tellsReady: selection.tellsReady)
    }

    /// Subscribes a subscriber to the elements, made from messages in the order of the stream, and begins.
    func subscribe<S: Subscriber>(
      _ subscriber: S,
      _ transform: @escaping (Element) -> S.Input
    ) where S.Failure == JetStreamError {
      sources
        .map { self.publisher(of: $0) }
        .switchToLatest()
        .compactMap { self.take($0).map(transform) }
        .handleEvents(receiveCompletion: { _ in self.end() }, receiveCancel: { self.end() })
        .receive(subscriber: subscriber)
      begin()
    }

    // MARK: Beginning and end

    private func begin() {
      // The downstream may have cancelled already.
      guard lock.withLock({ machine.phase != .ended }) else { return }
      guard connection.add(self) != nil else { return sources.send(completion: .failure(connection.endError)) }
      queue.async { [self] in
        // A change of the connection may have come first. One that comes later finds this object in the queue.
        if connection.isConnected, lock.withLock({ machine.phase == .disconnected }) { connect() }
      }
    }

    /// The downstream has cancelled or received its completion.
    private func end() {
      connection.remove(self)
      _ = lock.withLock { machine.end() }
      discardConsumer()
    }

    // MARK: Consumers

    private func connect() {
      start(lock.withLock { machine.connect() })
    }

    /// Begins an attempt, unless another one has followed it. Called on the queue.
    private func start(_ attempt: OrderedMachine.Attempt?) {
      guard let attempt, lock.withLock({ machine.isLatest(attempt) }) else { return }
      sources.send(.nothing)
      discardConsumer()
      onOwnThread { [self] in
        do throws(JetStreamError) {
          let (name, made) = try makeConsumer(attempt.start)
          queue.async { [self] in didMake(made, name, for: attempt) }
        } catch {
          queue.async { [self] in
            react(to: lock.withLock { machine.didNotMake(error, for: attempt.number, at: .now) })
          }
        }
      }
    }

    /// Makes a consumer. It blocks.
    private func makeConsumer(
      _ start: ConsumerConfiguration.Start
    ) throws(JetStreamError) -> (name: String, OrderedMachine.Consumer) {
      var configuration = ConsumerConfiguration()
      configuration.start = start
      configuration.policy = .none
      configuration.filterSubject = selection.filterSubject
      configuration.headersOnly = selection.headersOnly
      configuration.inactivityThreshold = Self.inactivityThreshold
      configuration.inMemory = true
      let earlier = try connection.streamInfo(selection.stream)
      let info = try connection.configure(configuration, of: selection.stream)
      do {
        // Asked for after the consumer, which does not survive its stream.
        let stream = try connection.streamInfo(selection.stream)
        let made = OrderedMachine.Consumer(
          streamCreated: stream.created,
          earlierRevision: earlier.lastSequence,
          lastRevision: stream.lastSequence,
          position: info.deliveredSequence,
          count: info.pendingCount
        )
        return (info.name, made)
      } catch {
        delete(info.name)
        throw error
      }
    }

    private func didMake(_ made: OrderedMachine.Consumer, _ name: String, for attempt: OrderedMachine.Attempt) {
      let making = lock.withLock {
        let making = machine.didMake(made, for: attempt.number)
        if case .read = making { consumer = name }
        return making
      }
      switch making {
      case .read(let source):
        sources.send(.consumer(name, source))
      case .drop:
        delete(name)
      case .fail(let error):
        delete(name)
        sources.send(completion: .failure(error))
      }
    }

    private func react(to reaction: OrderedMachine.Reaction) {
      switch reaction {
      case .wait: break
      case .start(let attempt): start(attempt)
      case .fail(let error): sources.send(completion: .failure(error))
      }
    }

    private func discardConsumer() {
      if let name = lock.withLock({ exchange(&consumer, with: nil) }) { delete(name) }
    }

    /// Tells the server to delete a consumer. If that is lost, the server does it later.
    private func delete(_ name: String) {
      connection.publish("", to: "\(connection.apiPrefix).CONSUMER.DELETE.\(selection.stream).\(name)")
    }

    // MARK: Messages

    /// The elements of a source.
    private func publisher(of source: Source) -> AnyPublisher<Signal, JetStreamError> {
      switch source {
      case .nothing: Empty(completeImmediately: false).eraseToAnyPublisher()
      case .end: Empty().eraseToAnyPublisher()
      case .consumer(let name, let source): publisher(of: source, name)
      }
    }

    private func publisher(of source: OrderedMachine.Source, _ name: String) -> AnyPublisher<Signal, JetStreamError> {
      let number = source.number
      let messages = JetStreamPublisher(
        connection: connection,
        stream: selection.stream,
        consumer: name,
        window: selection.window,
        windowBytes: selection.windowBytes,
        acknowledgement: nil
      )
      .map { Signal.message($0, number) }
      .catch { [self] error in
        queue.async { [self] in react(to: lock.withLock { machine.didLose(error, for: number) }) }
        return Empty<Signal, JetStreamError>(completeImmediately: false)
      }
      guard let initialCount = source.initialCount else { return messages.eraseToAnyPublisher() }
      guard initialCount > 0 else { return messages.prepend(.ready(number)).eraseToAnyPublisher() }

      // What the consumer would deliver behind the initial entries is read from another one. So `ready` can take its place
      // between the two, with a demand of its own.
      let count = InitialCount(initialCount)
      let ready = Deferred {
        (count.left == 0 ? Just(Signal.ready(number)).eraseToAnyPublisher() : Empty().eraseToAnyPublisher())
          .setFailureType(to: JetStreamError.self)
      }
      return
        messages
        .prefix(
          while: { signal in
            guard case .message(let message, _) = signal else { return true }
            // A key may have changed since it was counted. Then its entry comes later, or not among these.
            count.left = message.pendingCount == 0 ? 0 : count.left - 1
            return count.left > 0
          },
          behavior: .inclusive
        )
        .append(ready)
        .handleEvents(receiveCompletion: { [self] _ in
          queue.async { [self] in start(lock.withLock { machine.didFinishInitial(of: number) }) }
        })
        // Its end is not that of the reading.
        .append(Empty(completeImmediately: false))
        .eraseToAnyPublisher()
    }

    /// Takes an element of a source in front of the downstream.
    private func take(_ signal: Signal) -> Element? {
      switch signal {
      case .ready(let number):
        return lock.withLock { machine.takeReady(of: number) } ? .ready : nil
      case .message(let message, let number):
        let metadata = message.metadata
        let taking = lock.withLock {
          machine.take(
            delivery: metadata.consumerSequence,
            revision: metadata.streamSequence,
            time: metadata.nanoseconds,
            isPurge: message.received.isPurgeMarker,
            of: number
          )
        }
        switch taking {
        case .publish: return .message(message, metadata)
        case .drop: return nil
        case .startOver(let attempt):
          queue.async { [self] in start(attempt) }
          return nil
        case .fail(let error):
          queue.async { [self] in sources.send(completion: .failure(error)) }
          return nil
        }
      }
    }

    // MARK: The connection

    func tick(at now: ContinuousClock.Instant) {
      guard let attempt = lock.withLock({ machine.tick(at: now) }) else { return }
      queue.async { [self] in start(attempt) }
    }

    func connectionDidChange(to state: JetStream.ConnectionState) {
      queue.async { [self] in
        switch state {
        case .connected:
          connect()
        case .reconnecting:
          lock.withLock { machine.disconnect() }
          sources.send(.nothing)
        case .closed:
          let isFirst = lock.withLock { machine.end() }
          if isFirst { sources.send(completion: .failure(connection.endError)) }
        }
      }
    }

    func close() {
      queue.async { [self] in
        guard lock.withLock({ machine.end() }) else { return }
        sources.send(.end)
        sources.send(completion: .finished)
      }
    }

    func didRefuse(_ refusal: PermissionViolation) {
      let actions = ["STREAM.INFO", "CONSUMER.CREATE", "CONSUMER.DURABLE.CREATE"]
      let subjects = connection.subjects(actions, of: selection.stream)
      guard refusal.concerns(publishesTo: subjects) else { return }
      // The call that waits for an answer ends later. Its attempt does not count any more.
      queue.async { [self] in react(to: lock.withLock { machine.didRefuse(refusal.error) }) }
    }

    func awaitEnd(until deadline: ContinuousClock.Instant) {}
  }

  extension ReceivedMessage {

    /// Whether the message stands for all earlier ones of its subject, which were removed.
    fileprivate var isPurgeMarker: Bool {
      header("Nats-Rollup") != nil || header("KV-Operation") == "PURGE" || header("Nats-Marker-Reason") != nil
    }
  }
#endif
