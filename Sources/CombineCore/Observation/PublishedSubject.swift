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

  /// How many requests were answered while another thread was writing. Changed with `valueLock` held.
  @usableFromInline
  let answersDuringWrites = Atomic<Int>(0)

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with `lock` held.
  private var upstreams = UpstreamSubscriptions()

  /// Who is told before the value changes.
  var objectWillChange: ObservableObjectPublisher? {
    isAnnounced.load(ordering: .acquiring) ? announcement : nil
  }

  /// Tells them.
  @inlinable
  @inline(__always)
  func announce() {
    guard isAnnounced.load(ordering: .acquiring) else { return }
    // It is there as long as this is: without a retain.
    Unmanaged.passUnretained(announcement.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.send() }
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

  /// What a request is answered with.
  ///
  /// If another thread is writing, it looks afterwards for those that were answered with the old value. For a request from
  /// within a write that is the answer, as in Combine.
  ///
  /// - Parameters:
  ///   - last: The number of the last value that the subscriber got.
  ///   - isForOther: Whether another thread has made the request.
  func answer(after last: Int, isForOther: Bool) -> CurrentValueAnswer<Value> {
    let thread = Platform.currentThread
    return valueLock.withLock {
      let isWriting = state.number > storedNumber
      let isFromWithin =
        isWriting && !isForOther && state.numberInProgress(on: thread, after: storedNumber) != nil
      if isWriting, !isFromWithin { answersDuringWrites.add(1, ordering: .relaxed) }
      return CurrentValueAnswer(
        value: storedValue,
        number: storedNumber,
        sender: storedSender,
        mayRepeat: isFromWithin,
        overtaken: state.outerNumbers(of: storedNumber, on: thread, after: last)
      )
    }
  }

  /// Announces a change, sends the new value, and only then stores it.
  @inlinable
  func send(_ value: Value) {
    if table.isEmpty, sendToNobody(value) { return }
    // The traversal begins first: so of two writes at once, at least one knows of the other.
    let traversal = table.traversals.begin()
    let thread = Platform.currentThread
    let answerCount = answersDuringWrites.load(ordering: .relaxed)
    let beginning = begin(value, on: thread, isAlone: traversal.isAlone)
    send(value, beginning, on: thread, after: { announce() })
    let old = store(value, number: beginning.number, on: thread)
    _ = old  // Released with the lock free.
    // Whoever has asked since, and was answered with the old value, is sent the new one now.
    if answersDuringWrites.load(ordering: .relaxed) != answerCount { sendOnceMore(value, number: beginning.number) }
    table.end(traversal)
    finish(beginning.number, on: thread)
  }

  /// Announces a change and stores a value that nobody is subscribed to: without a traversal.
  ///
  /// Nobody is owed that value: whoever subscribes meanwhile is sent this one or a newer, be it after the old one.
  ///
  /// - Returns: Whether it did. If not, there may be subscribers.
  @inlinable
  @inline(__always)
  func sendToNobody(_ value: Value) -> Bool {
    let thread = Platform.currentThread
    let answerCount = answersDuringWrites.load(ordering: .relaxed)
    let beginning = valueLock.withLock { () -> CurrentValueState<Value>.Beginning? in
      // A traversal that begins after this look gets a greater number.
      guard table.isEmpty, !table.traversals.areRunning, state.sendings.isEmpty else { return nil }
      return state.begin(value, on: thread, isAlone: true)
    }
    guard let beginning else { return false }
    announce()
    let old = store(value, number: beginning.number, on: thread)
    _ = old  // Released with the lock free.
    if answersDuringWrites.load(ordering: .relaxed) != answerCount {
      table.forEach(PublishedTable<Value>.Conduit.self) { $0.offerCurrent(value, number: beginning.number) }
    }
    return true
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

  /// Sends a value that was stored to those that have not got it.
  @usableFromInline
  func sendOnceMore(_ value: Value, number: Int) {
    table.visit(PublishedTable<Value>.Conduit.self) { $0.offerCurrent(value, number: number) }
  }

  @usableFromInline
  func register(_ conduit: SubjectConduit<Value, Never, CurrentValueNotes>) {
    // The set of subscribers that a write reaches is fixed when it begins. A subscriber that another thread adds later
    // gets the new value when it asks, or after that; one that comes from within the write does not, as in Combine.
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

extension PublishedSubject: CurrentValueSending {

  @usableFromInline
  typealias Failure = Never

  @inlinable
  var subscribers: SubjectTable { table }

  @inlinable
  @inline(__always)
  func withState<Result>(_ body: (inout CurrentValueState<Value>) -> Result) -> Result {
    valueLock.withLock { body(&state) }
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
    unsafeDowncast(subscription, to: Conduit.self).request(demand) { subject.answer(after: $0, isForOther: false) }
  }

  @usableFromInline
  override func answerRequests(from subscription: SubjectSubscription) {
    guard let subject else { return }
    unsafeDowncast(subscription, to: Conduit.self).answerRequests { subject.answer(after: $0, isForOther: true) }
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
