import Synchronization

/// The subject behind a published property: its value, its subscribers, and whom else a change is announced to.
@usableFromInline
final class PublishedSubject<Value> {

  @usableFromInline
  let table = PublishedTable<Value>()

  @usableFromInline
  let valueLock = ValueLock()

  /// The value that the property has.
  @exclusivity(unchecked)  // These four: only with `valueLock` held.
  @usableFromInline
  var storedValue: Value

  /// Its number, and the thread that wrote it.
  @exclusivity(unchecked)
  @usableFromInline
  var storedNumber = 1

  @exclusivity(unchecked)
  @usableFromInline
  var storedSender: UInt = 0

  /// What is being written.
  @exclusivity(unchecked)
  @usableFromInline
  var state: CurrentValueState<Value>

  /// Whether several writes are under way, to be read without the lock.
  @usableFromInline
  let hasSendings = Atomic<Bool>(false)

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with `lock` held.
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
    storedValue = value
    state = CurrentValueState(value)
  }

  deinit {
    upstreams.cancelAll()
  }

  @inlinable
  var value: Value {
    valueLock.withLock { storedValue }
  }

  /// The value that a request is answered with, its number and the thread that wrote it.
  var current: (value: Value, number: Int, sender: UInt) {
    valueLock.withLock { (storedValue, storedNumber, storedSender) }
  }

  /// Announces a change, sends the new value, and only then stores it.
  @inlinable
  func send(_ value: Value) {
    // The walk begins first: so of two writes at once, at least one knows of the other.
    let walk = table.walks.begin()
    let thread = Platform.currentThread
    let addedCount = table.addedCount.load(ordering: .relaxed)
    let beginning = begin(value, on: thread, isAlone: walk.isAlone)
    if let pending = beginning.pending {
      send(pending, on: thread)
    } else if beginning.isNested {
      sendNested(value, number: beginning.number, on: thread)
    } else {
      table.visit(PublishedTable<Value>.Conduit.self, after: { objectWillChange?.send() }) {
        $0.offerCurrent(value, number: beginning.number)
      }
    }
    let old = store(value, number: beginning.number, on: thread)
    _ = old  // Released with the lock free.
    // Whoever has come since has been sent the old value, or is sent the new one now.
    if table.addedCount.load(ordering: .relaxed) != addedCount { sendToNewcomers(value, number: beginning.number) }
    table.end(walk)
    if hasSendings.load(ordering: .relaxed) { finish(beginning.number, on: thread) }
  }

  @inlinable
  @inline(__always)
  func begin(_ value: Value, on thread: UInt, isAlone: Bool) -> CurrentValueState<Value>.Beginning {
    valueLock.withLock {
      let beginning = state.begin(value, on: thread, isAlone: isAlone)
      if beginning.pending != nil || beginning.isNested { hasSendings.store(true, ordering: .relaxed) }
      return beginning
    }
  }

  /// Stores a value, unless another thread has stored a newer one. A newer one of this thread was written from within
  /// this write, which as the outer one is the last.
  @inlinable
  @inline(__always)
  func store(_ value: Value, number: Int, on thread: UInt) -> Value? {
    valueLock.withLock {
      guard number > storedNumber || storedSender == thread else { return nil }
      storedNumber = number
      storedSender = thread
      return exchange(&storedValue, with: value)
    }
  }

  /// Sends what several threads are writing, up to the value of this thread.
  @usableFromInline
  func send(_ pending: [CurrentValueState<Value>.Sending], on thread: UInt) {
    table.visit(PublishedTable<Value>.Conduit.self, after: { objectWillChange?.send() }) {
      $0.offer(pending, on: thread)
    }
  }

  /// Sends a value of a write that was made from within another one.
  @usableFromInline
  func sendNested(_ value: Value, number: Int, on thread: UInt) {
    table.visit(PublishedTable<Value>.Conduit.self, after: { objectWillChange?.send() }) { conduit in
      conduit.offerNested(value, number: number) { last in
        valueLock.withLock { state.outerNumbers(of: number, on: thread, after: last) }
      }
    }
  }

  /// Sends a value that was stored to those that have not got it.
  @usableFromInline
  func sendToNewcomers(_ value: Value, number: Int) {
    table.visit(PublishedTable<Value>.Conduit.self) { $0.offerCurrent(value, number: number) }
  }

  @usableFromInline
  func finish(_ number: Int, on thread: UInt) {
    let released = valueLock.withLock {
      let released = state.finish(number, on: thread)
      hasSendings.store(!state.sendings.isEmpty, ordering: .relaxed)
      return released
    }
    withExtendedLifetime(released) {}
    table.finishOvertakings(of: number)
  }

  @usableFromInline
  func attach(_ conduit: SubjectConduit<Value, Never, CurrentValueNotes>) {
    // The set of subscribers that a write reaches is fixed when it begins. A subscriber that another thread adds later is
    // sent the new value all the same, as it could not know; one that comes from within the write is not, as in Combine.
    let thread = Platform.currentThread
    let (current, own) = valueLock.withLock { (storedNumber, state.numberInProgress(on: thread, after: storedNumber)) }
    if let own { conduit.notes.startMissing(own) } else { conduit.notes.start(after: current - 1) }
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
    guard let subject else { return }
    unsafeDowncast(subscription, to: Conduit.self).request(demand) { subject.current }
  }

  @usableFromInline
  override func answerRequests(from subscription: SubjectSubscription) {
    guard let subject else { return }
    unsafeDowncast(subscription, to: Conduit.self).answerRequests { subject.current }
  }

  /// There as long as it has a subscriber.
  private var subject: PublishedSubject<Value>? {
    lock.withLock { sustainedObject }.map { unsafeDowncast($0, to: PublishedSubject<Value>.self) }
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
