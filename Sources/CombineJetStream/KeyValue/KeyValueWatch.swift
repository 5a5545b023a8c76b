#if JetStream
  import CombineCore

  extension KeyValueStore {

    /// Returns a publisher of the entries of a bucket: first those that are there, then each change.
    ///
    /// A deletion is an entry, too: see ``KeyValueEntry/operation``. ``events(_:start:window:)`` says in addition when all
    /// initial entries have come.
    ///
    /// Demand is the flow control. A subscriber that is slower than the changes sees all of them that the bucket still
    /// keeps: of each key, the latest ``KeyValueConfiguration/history`` revisions.
    ///
    /// The entries come in the order of their revisions, each once. The publisher waits while the connection is lost, and
    /// goes on behind the last revision that it has published. It finishes only when ``JetStream/close()`` ends the
    /// connection. It fails with `noStream` if the bucket is deleted, and with `closed` if the connection is closed for good.
    ///
    /// ```swift
    /// func follow(_ settings: KeyValueStore) -> AnyCancellable {
    ///   settings.watch("color.*")
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.key, $0.operation) })
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The keys, with the wildcards `*` for a word and `>` for the rest.
    ///   - start: The entries that come first.
    ///   - window: The maximum number of messages that are on their way or wait here.
    /// - Returns: A publisher that delivers on threads of its own, one element at a time.
    public func watch(
      _ keys: String = ">",
      start: KeyValueWatch.Start = .current,
      window: Int = 256
    ) -> AnyPublisher<KeyValueEntry, JetStreamError> {
      events(keys, start: start, window: window).compactMap(\.entry).eraseToAnyPublisher()
    }

    /// Returns a publisher of the entries of a bucket, which also says when all initial ones have come.
    ///
    /// It differs from ``watch(_:start:window:)`` in one point: ``KeyValueEvent/ready`` comes behind the initial entries, or
    /// at once if there are none.
    ///
    /// ```swift
    /// func settingsByName(_ settings: KeyValueStore) -> AnyPublisher<[String: [UInt8]], JetStreamError> {
    ///   settings.events()
    ///     .scan((values: [String: [UInt8]](), isReady: false)) { state, event in
    ///       var state = state
    ///       if let entry = event.entry { state.values[entry.key] = entry.isDeletion ? nil : entry.value }
    ///       if event == .ready { state.isReady = true }
    ///       return state
    ///     }
    ///     .filter { $0.isReady }
    ///     .map { $0.values }
    ///     .eraseToAnyPublisher()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The keys, with the wildcards `*` for a word and `>` for the rest.
    ///   - start: The entries that come first.
    ///   - window: The maximum number of messages that are on their way or wait here.
    /// - Returns: A publisher that delivers on threads of its own, one element at a time.
    public func events(
      _ keys: String = ">",
      start: KeyValueWatch.Start = .current,
      window: Int = 256
    ) -> KeyValueWatch {
      KeyValueWatch(store: self, keys: keys, start: start, window: window)
    }
  }

  /// A publisher of the entries of a bucket, and of the moment when all initial ones have come.
  ///
  /// See ``KeyValueStore/events(_:start:window:)``.
  public struct KeyValueWatch: Publisher, Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = KeyValueEvent

    /// The kind of errors this publisher can fail with.
    public typealias Failure = JetStreamError

    /// The entries with which a watch begins.
    public enum Start: Sendable, Hashable {

      /// The latest entry of each key, deletions included.
      case current

      /// All entries that the bucket keeps.
      case history

      /// None. The first entry is the first change after ``KeyValueEvent/ready``, or shortly before it.
      case new

      fileprivate var consumerStart: ConsumerConfiguration.Start {
        switch self {
        case .current: .lastPerSubject
        case .history: .all
        case .new: .new
        }
      }
    }

    /// The bucket.
    public let store: KeyValueStore

    /// The keys, with wildcards.
    public let keys: String

    /// The entries that come first.
    public let start: Start

    /// The maximum number of messages that are on their way or wait here.
    public let window: Int

    init(store: KeyValueStore, keys: String, start: Start, window: Int) {
      requirePositive(window, "KeyValueWatch: window")
      self.store = store
      self.keys = keys
      self.start = start
      self.window = window
    }

    /// Sends `subscriber` a subscription, and begins to watch. Entries are read when they are requested.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let bucket = store.bucket
      let selection = OrderedSelection(
        connection: store.connection,
        stream: store.stream,
        filterSubject: KeyValueStore.subject(of: keys, in: bucket),
        start: start.consumerStart,
        window: window,
        tellsReady: true
      )
      OrderedCoordinator(selection).subscribe(subscriber) { element in
        switch element {
        case .ready: .ready
        case .message(let message, let metadata): .entry(KeyValueEntry(message, metadata, bucket: bucket))
        }
      }
    }
  }
#endif
