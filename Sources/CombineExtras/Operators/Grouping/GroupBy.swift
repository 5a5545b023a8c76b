import CombineThreads
import CombineCore

extension Publisher {

  /// Divides the elements among publishers, one for each key.
  ///
  /// An element whose key has no group publishes a new group first. Each group publishes its elements to one subscriber,
  /// for which they wait, and to which they go as it has demand. The groups complete as this publisher does, after their
  /// last element.
  ///
  /// A subscriber that cancels its group closes it, and the next element of that key opens a new one. When the
  /// subscriber of the groups cancels, groups that are subscribed to go on, and no new group opens. The upstream is
  /// cancelled when no subscriber is left. A group that nobody has subscribed to by then finishes after its elements. A
  /// failure waits for the groups that are published before it.
  ///
  /// The group of an element is not known before it arrives. So the upstream is asked for everything, and elements wait
  /// in their groups without a limit. Subscribe to each group, for example with `flatMap`.
  ///
  /// ```swift
  /// marbles(of: Int.self, outputs: ["p": "odd 1", "q": "even 2", "r": "odd 3"]) {
  ///   "1--2--3--|"
  ///   $0[0].groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }
  ///     .flatMap { group in group.map { "\(group.key) \($0)" } }
  ///   "p--q--r--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxGroups: The maximum number of groups that are open at a time. A new group finishes the one whose last element
  ///     is the oldest. With `nil`, the default, there is no limit.
  ///   - key: A closure that returns the key of an element.
  /// - Returns: A publisher of groups.
  @inlinable
  public func groupBy<Key: Hashable>(
    maxGroups: Int? = nil,
    _ key: @escaping (Output) -> Key
  ) -> ExtraPublishers.GroupBy<Self, Key> {
    ExtraPublishers.GroupBy(upstream: self, maxGroups: maxGroups, key: key)
  }
}

/// A publisher of the elements that have one key; see `groupBy(maxGroups:_:)`.
///
/// Its elements wait for its first subscriber. Any other subscriber receives a finish only.
///
/// ```swift
/// let lengths = ["a", "bc", "d"].publisher.groupBy(\.count).flatMap { group in
///   group.collect().map { "\(group.key): \($0)" }
/// }
/// let cancellable = lengths.sink { print($0) }  // 1: ["a", "d"] and 2: ["bc"]
/// cancellable.cancel()
/// ```
public struct GroupedPublisher<Key: Hashable, Output, Failure: Error>: Publisher {

  /// The key of all elements.
  public let key: Key

  @usableFromInline
  let group: Unicast<Output, Failure>

  @inlinable
  init(key: Key, group: Unicast<Output, Failure>) {
    self.key = key
    self.group = group
  }

  /// Subscribes `subscriber` to the group, unless the group has a subscriber.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    ExtraConduits.UnicastMember(downstream: subscriber, unicast: group).start()
  }
}

extension ExtraPublishers {

  /// A publisher that divides the elements of its upstream among publishers, one for each key.
  public struct GroupBy<Upstream: Publisher, Key: Hashable>: Publisher {

    /// The kind of values this publisher publishes: a group.
    public typealias Output = GroupedPublisher<Key, Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are divided.
    public let upstream: Upstream

    /// The maximum number of groups that are open at a time, or `nil` for no limit.
    public let maxGroups: Int?

    /// A closure that returns the key of an element.
    public let key: (Upstream.Output) -> Key

    /// Creates a publisher that divides the elements of another publisher among groups.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are divided.
    ///   - maxGroups: The maximum number of groups that are open at a time, or `nil` for no limit.
    ///   - key: A closure that returns the key of an element.
    @inlinable
    public init(upstream: Upstream, maxGroups: Int? = nil, key: @escaping (Upstream.Output) -> Key) {
      if let maxGroups { requirePositive(maxGroups, "GroupBy: maxGroups") }
      self.upstream = upstream
      self.maxGroups = maxGroups
      self.key = key
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(ExtraConduits.GroupBy(downstream: subscriber, maxGroups: maxGroups, key: key))
    }
  }
}

extension ExtraConduits {

  @usableFromInline
  final class GroupBy<Key: Hashable, Input, Downstream: Subscriber>:
    QueuedConduit<Downstream>, Subscriber, DescribedByName
  where Downstream.Input == GroupedPublisher<Key, Input, Downstream.Failure> {

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    typealias Group = Unicast<Input, Failure>

    @usableFromInline
    let key: (Input) -> Key

    @exclusivity(unchecked)  // Only with the lock held, after `init`.
    @usableFromInline
    var groups: GroupTable<Key, Group>

    @inlinable
    init(downstream: Downstream, maxGroups: Int?, key: @escaping (Input) -> Key) {
      self.key = key
      groups = GroupTable(limit: maxGroups ?? .max)
      super.init(downstream: downstream)
    }

    // An upstream that is abandoned completes no group.
    @inlinable
    deinit {
      for entry in groups.removeAll() { entry.value.abandon() }
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      open()
      requestUpstream(.unlimited)
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      guard lock.withLock({ upstream.isSubscribed }) else { return .none }
      send(input, KeyTable.Search(key(input)))
      return .none
    }

    /// Sends an element to the group of its key, or to a new one.
    ///
    /// The keys are compared with no lock held. Meanwhile the group may close, or a nested call or another thread may open
    /// one. The search then goes on.
    @inlinable
    func send(_ input: Input, _ start: KeyTable<Key, Group>.Search) {
      var search = start
      repeat {
        while let candidate = lock.withLock({ groups.next(&search) }) {
          if candidate.key == search.key, lock.withLock({ groups.use(search) }) { return candidate.value.send(input) }
        }
      } while !openGroup(search, input)
    }

    /// Opens a group, unless the downstream is gone.
    ///
    /// - Returns: Whether no group has come that the search has not seen.
    @inlinable
    func openGroup(_ search: KeyTable<Key, Group>.Search, _ input: Input) -> Bool {
      let group = Group(description: "GroupBy") { [weak self, hash = search.hash] in self?.close($0, hash) }
      var evicted: KeyTable<Key, Group>.Entry?
      let (isOpen, isNew) = lock.withLock {
        isClosedLocked ? (false, true) : (true, groups.insert(group, for: search, evicted: &evicted))
      }
      guard isOpen, isNew else { return isNew }
      evicted?.value.send(completion: .finished)
      // The element waits in the group, so the downstream finds it there when it subscribes.
      group.send(input)
      send(GroupedPublisher(key: search.key, group: group))
      return true
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      for entry in takeGroups() { entry.value.send(completion: completion) }
      send(completion: completion)
    }

    /// The upstream is asked for everything, once.
    @inlinable
    override func receive(demand: Subscribers.Demand) {}

    @inlinable
    override func didEnd() {
      cancelIfUnused()
    }

    /// Called when the subscriber of a group has cancelled.
    @inlinable
    func close(_ group: Group, _ hash: Int) {
      let removed = lock.withLock { groups.remove(group, of: hash) }
      withExtendedLifetime(removed) {}
      cancelIfUnused()
    }

    /// Cancels the upstream when neither the downstream nor the subscriber of a group is left.
    @inlinable
    func cancelIfUnused() {
      guard lock.withLock({ isClosedLocked && !groups.contains(where: \.isSubscribed) }) else { return }
      cancelUpstream()
      // A subscriber that comes later gets what has arrived.
      for entry in takeGroups() { entry.value.send(completion: .finished) }
    }

    @inlinable
    func takeGroups() -> [KeyTable<Key, Group>.Entry] {
      lock.withLock { groups.removeAll() }
    }

    @usableFromInline
    var description: String { "GroupBy" }
  }
}
