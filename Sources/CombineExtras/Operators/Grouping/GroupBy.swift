import CombineCore

extension Publisher {

  /// Divides the elements among publishers, one for each key.
  ///
  /// An element whose key has no group publishes a new group first. Each group publishes its elements to one subscriber,
  /// for which they wait, and to which they go as it has demand. The groups complete as this publisher does, after their
  /// last element.
  ///
  /// A subscriber that cancels its group closes it, and the next element of that key opens a new one. When the subscriber
  /// of the groups cancels, groups that are subscribed to go on, and no new group opens. The upstream is cancelled when
  /// no subscriber is left.
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
  ) -> Publishers.GroupBy<Self, Key> {
    Publishers.GroupBy(upstream: self, maxGroups: maxGroups, key: key)
  }
}

/// A publisher of the elements that have one key; see ``CombineCore/Publisher/groupBy(maxGroups:_:)``.
///
/// Its elements wait for its first subscriber. Any other subscriber receives a finish only.
///
/// ```swift
/// let lengths = ["a", "bc", "d"].publisher.groupBy(\.count).flatMap { group in
///   group.collect().map { "\(group.key): \($0)" }
/// }
/// let cancellable = lengths.sink { print($0) }  // prints 1: ["a", "d"] and 2: ["bc"]
/// cancellable.cancel()
/// ```
public struct GroupedPublisher<Key: Hashable, Output, Failure: Error>: Publisher {

  /// The key of all elements.
  public let key: Key

  let group: Group<Key, Output, Failure>

  @usableFromInline
  init(key: Key, group: Group<Key, Output, Failure>) {
    self.key = key
    self.group = group
  }

  /// Subscribes `subscriber` to the group, unless the group has a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    ExtraConduits.GroupMember(downstream: subscriber, group: group).start()
  }
}

extension Publishers {

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
      precondition(maxGroups ?? 1 > 0, "groupBy: maxGroups must be positive, is \(maxGroups ?? 1).")
      self.upstream = upstream
      self.maxGroups = maxGroups
      self.key = key
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(ExtraConduits.GroupBy(downstream: subscriber, maxGroups: maxGroups, key: key))
    }
  }
}

/// One group: its elements until it is subscribed to, and then its subscription.
@usableFromInline
final class Group<Key: Hashable, Value, Failure: Error> {

  private enum Stage {
    case waiting
    case subscribed(any ValueReceiver<Value, Failure>)
    case closed
  }

  let key: Key

  /// The conduit that fills the group. Written once, before the group is published.
  private let parent: any GroupParent<Key, Value, Failure>

  private let lock = ValueLock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  private var stage = Stage.waiting

  @exclusivity(unchecked)
  private var waiting = Deque<Value>()

  @exclusivity(unchecked)
  private var completion: Subscribers.Completion<Failure>?

  /// The number of the last element. Only the conduit uses it, with its lock held.
  @exclusivity(unchecked)
  var lastNumber = 0

  init(key: Key, parent: any GroupParent<Key, Value, Failure>) {
    self.key = key
    self.parent = parent
  }

  func send(_ value: Value) {
    let receiver = lock.withLock { () -> (any ValueReceiver<Value, Failure>)? in
      switch stage {
      case .waiting:
        waiting.append(value)
        return nil
      case .subscribed(let receiver):
        return receiver
      case .closed:
        return nil
      }
    }
    receiver?.send(value)
  }

  func send(completion: Subscribers.Completion<Failure>) {
    let receiver = lock.withLock { () -> (any ValueReceiver<Value, Failure>)? in
      self.completion = completion
      guard case .subscribed(let receiver) = stage else { return nil }
      stage = .closed
      return receiver
    }
    receiver?.send(completion: completion)
  }

  /// Puts the elements so far into the queue of the first subscriber.
  ///
  /// - Returns: The completion if there is one already. Another subscriber gets a finish.
  func subscribe(_ receiver: some ValueReceiver<Value, Failure>) -> Subscribers.Completion<Failure>? {
    var taken = Deque<Value>()
    return lock.withLock {
      guard case .waiting = stage else { return .finished }
      swap(&taken, &waiting)
      while let value = taken.popFirst() { receiver.enqueue(value) }
      stage = completion == nil ? .subscribed(receiver) : .closed
      return completion
    }
  }

  /// Closes the group, because a subscriber has cancelled, unless the group has another one.
  func cancel(_ receiver: some ValueReceiver<Value, Failure>) {
    let isClosed = lock.withLock {
      guard case .subscribed(let current) = stage, current === receiver else { return false }
      stage = .closed
      return true
    }
    if isClosed { parent.close(self) }
  }

  var isSubscribed: Bool {
    lock.withLock { if case .subscribed = stage { true } else { false } }
  }
}

/// The subscription of a group, as the group sees it.
protocol ValueReceiver<Value, Failure>: AnyObject {

  associatedtype Value
  associatedtype Failure: Error

  /// Puts a value into the queue, before the downstream has its subscription.
  func enqueue(_ value: Value)

  func send(_ value: Value)

  func send(completion: Subscribers.Completion<Failure>)
}

/// The conduit of the groups, as a group sees it.
protocol GroupParent<Key, Value, Failure>: AnyObject {

  associatedtype Key: Hashable
  associatedtype Value
  associatedtype Failure: Error

  func close(_ group: Group<Key, Value, Failure>)
}

extension ExtraConduits {

  @usableFromInline
  final class GroupBy<Key: Hashable, Input, Downstream: Subscriber>:
    QueuedConduit<Downstream>, Subscriber, GroupParent, DescribedByName
  where Downstream.Input == GroupedPublisher<Key, Input, Downstream.Failure> {

    @usableFromInline
    typealias Value = Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    private let maxGroups: Int
    private let key: (Input) -> Key

    @exclusivity(unchecked)  // These three: only with the lock held.
    private var groups: [Key: Group<Key, Input, Failure>] = [:]

    /// Whether the downstream has cancelled, so that no new group opens.
    @exclusivity(unchecked)
    private var isCancelled = false

    @exclusivity(unchecked)
    private var elementCount = 0

    @usableFromInline
    init(downstream: Downstream, maxGroups: Int?, key: @escaping (Input) -> Key) {
      self.maxGroups = maxGroups ?? .max
      self.key = key
      super.init(downstream: downstream)
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      open()
      requestUpstream(.unlimited)
    }

    @usableFromInline
    func receive(_ input: Input) -> Subscribers.Demand {
      let key = key(input)
      var isNew = false
      let (group, evicted) = lock.withLock { () -> (Group<Key, Input, Failure>?, Group<Key, Input, Failure>?) in
        elementCount += 1
        if let group = groups[key] {
          group.lastNumber = elementCount
          return (group, nil)
        }
        guard !isClosedLocked else { return (nil, nil) }
        isNew = true
        let evicted = groups.count < maxGroups ? nil : groups.values.min { $0.lastNumber < $1.lastNumber }
        if let evicted { groups[evicted.key] = nil }
        let group = Group<Key, Input, Failure>(key: key, parent: self)
        group.lastNumber = elementCount
        groups[key] = group
        return (group, evicted)
      }
      evicted?.send(completion: .finished)
      guard let group else { return .none }
      // The element waits in the group, so the downstream finds it there when it subscribes.
      group.send(input)
      if isNew { send(GroupedPublisher(key: key, group: group)) }
      return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
      finishUpstream()
      for group in takeGroups() { group.send(completion: completion) }
      send(completion: completion)
    }

    /// The upstream is asked for everything, once.
    @usableFromInline
    override func receive(demand: Subscribers.Demand) {}

    @usableFromInline
    override func didEnd() {
      cancelIfUnused()
    }

    func close(_ group: Group<Key, Input, Failure>) {
      lock.withLock {
        if groups[group.key] === group { groups[group.key] = nil }
      }
      cancelIfUnused()
    }

    /// Cancels the upstream when neither the downstream nor the subscriber of a group is left.
    private func cancelIfUnused() {
      let (isClosed, candidates) = lock.withLock { (isClosedLocked, Array(groups.values)) }
      guard isClosed, !candidates.contains(where: \.isSubscribed) else { return }
      _ = takeGroups()
      cancelUpstream()
    }

    private func takeGroups() -> [Group<Key, Input, Failure>] {
      lock.withLock {
        defer { groups = [:] }
        // In the order in which their last elements came, so that completions come in a fixed order.
        return groups.values.sorted { $0.lastNumber < $1.lastNumber }
      }
    }

    @usableFromInline
    var description: String { "GroupBy" }
  }

  /// The subscription of a group.
  final class GroupMember<Key: Hashable, Downstream: Subscriber>:
    QueuedConduit<Downstream>, ValueReceiver, DescribedByName
  {

    typealias Value = Downstream.Input
    typealias Failure = Downstream.Failure

    private let group: Group<Key, Downstream.Input, Downstream.Failure>

    init(downstream: Downstream, group: Group<Key, Downstream.Input, Downstream.Failure>) {
      self.group = group
      super.init(downstream: downstream)
    }

    func start() {
      if let completion = group.subscribe(self) { send(completion: completion) }
      open()
    }

    func enqueue(_ value: Downstream.Input) {
      send(value)
    }

    override func receive(demand: Subscribers.Demand) {}

    override func didEnd() {
      group.cancel(self)
    }

    var description: String { "GroupBy" }
  }
}
