import Synchronization

/// The subject behind a published property: its value, its subscribers, and whom else a change is announced to.
@usableFromInline
final class PublishedSubject<Value> {

  @usableFromInline
  let table = PublishedTable<Value>()

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // These two: only with the lock held.
  @usableFromInline
  var currentValue: Value

  @exclusivity(unchecked)
  private var upstreams = UpstreamSubscriptions()

  /// Who is told before the value changes.
  @inlinable
  var objectWillChange: ObservableObjectPublisher? {
    isAnnounced.load(ordering: .acquiring) ? announcement : nil
  }

  /// Whether there is one. Set once, after `announcement` was.
  @usableFromInline
  let isAnnounced = Atomic<Bool>(false)

  @exclusivity(unchecked)  // Never changes once `isAnnounced` is set, so that each value spares a lock.
  @usableFromInline
  var announcement: ObservableObjectPublisher?

  /// Has changes announced from now on; called once, by one thread.
  func announceChanges(to publisher: ObservableObjectPublisher) {
    precondition(!isAnnounced.load(ordering: .relaxed))
    announcement = publisher
    isAnnounced.store(true, ordering: .releasing)
  }

  @inlinable
  init(_ value: Value) {
    currentValue = value
  }

  deinit {
    upstreams.cancelAll()
  }

  @inlinable
  var value: Value {
    lock.withLock { currentValue }
  }

  /// Announces a change, sends the new value, and only then stores it.
  @inlinable
  func send(_ value: Value) {
    table.forEach(PublishedTable<Value>.Conduit.self, after: { objectWillChange?.send() }) {
      $0.offerCurrent(value, number: 0)
    }
    let old = lock.withLock { exchange(&currentValue, with: value) }
    _ = old  // Released with the lock free.
  }

  @usableFromInline
  func attach(_ conduit: SubjectSubscription) {
    table.lock.withLock { table.insert(conduit, sustaining: self) }
    table.tidy()
  }

  /// Keeps an upstream subscription for life, or until it is dropped.
  func keep(_ subscription: any Subscription) -> UpstreamSubscriptions.Token {
    lock.withLock { upstreams.add(subscription) }
  }

  /// Drops an upstream subscription that has ended.
  func drop(_ token: UpstreamSubscriptions.Token) {
    let dropped = lock.withLock { upstreams.remove(token) }
    _ = dropped  // Released with the lock free.
  }
}

/// The subscribers of a published property.
@usableFromInline
final class PublishedTable<Value>: SubjectTable {

  @usableFromInline
  typealias Conduit = SubjectConduit<Value, Never, CurrentValueNotes>

  @usableFromInline
  init() {
    super.init(name: "PublishedSubject")
  }

  override func request(_ demand: Subscribers.Demand, from subscription: SubjectSubscription) {
    // The subject is there as long as it has this subscriber.
    guard let object = lock.withLock({ sustainedObject }) else { return }
    let subject = unsafeDowncast(object, to: PublishedSubject<Value>.self)
    unsafeDowncast(subscription, to: Conduit.self).request(demand) { (subject.value, 0, 0) }
  }
}

/// What an observable object looks for among its stored properties.
protocol PublishedProperty {

  /// The publisher that is told before the property changes.
  var objectWillChange: ObservableObjectPublisher? { get }

  /// Has changes announced from now on; called once, by one thread.
  func announceChanges(to publisher: ObservableObjectPublisher)
}

extension Published: PublishedProperty {

  var objectWillChange: ObservableObjectPublisher? { subject.objectWillChange }

  func announceChanges(to publisher: ObservableObjectPublisher) {
    subject.announceChanges(to: publisher)
  }
}
