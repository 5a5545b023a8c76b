import Synchronization

/// The subject behind a published property: its value, its subscribers, and the publisher that announces its changes.
@usableFromInline
final class PublishedSubject<Value> {

  @usableFromInline
  let table = PublishedTable<Value>()

  @usableFromInline
  let valueLock = ValueLock()

  /// The value of the property.
  @exclusivity(unchecked)  // These four: only with `valueLock` held.
  @usableFromInline
  var storedValue: Value

  /// The number of the stored value, and the thread that wrote it.
  @exclusivity(unchecked)
  @usableFromInline
  var storedNumber = 1

  @exclusivity(unchecked)
  @usableFromInline
  var storedSender: UInt = 0

  /// The values that are being written.
  @exclusivity(unchecked)
  @usableFromInline
  var state: CurrentValueState<Value>

  /// The number of requests that were answered while another thread was writing. Changed with `valueLock` held.
  @usableFromInline
  let answersDuringWrites = Atomic<Int>(0)

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with `lock` held.
  private var upstreams = UpstreamSubscriptions()

  /// The publisher that announces changes.
  var objectWillChange: ObservableObjectPublisher? {
    isAnnounced.load(ordering: .acquiring) ? announcement : nil
  }

  /// Announces a change.
  @inlinable
  @inline(__always)
  func announce() {
    guard isAnnounced.load(ordering: .acquiring) else { return }
    // It lives as long as this object, so it is not retained.
    Unmanaged.passUnretained(announcement.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.send() }
  }

  /// Whether there is an `announcement`. Set once, after `announcement`.
  @usableFromInline
  let isAnnounced = Atomic<Bool>(false)

  @exclusivity(unchecked)  // Never changes once `isAnnounced` is set, so a value needs no lock for it.
  @usableFromInline
  var announcement: ObservableObjectPublisher?

  /// Sets the publisher that announces changes. It is called once, by one thread.
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

  /// The stored value, as the answer to a request.
  ///
  /// If another thread is writing, that thread afterwards looks for the requests that were answered with the old value. A
  /// request inside a write is answered with the old value, as in Combine.
  ///
  /// - Parameters:
  ///   - last: The number of the last value that the subscriber has received.
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
    // The traversal begins first, so of two writes at the same time at least one knows of the other.
    let traversal = table.traversals.begin()
    let thread = Platform.currentThread
    let answerCount = answersDuringWrites.load(ordering: .relaxed)
    let beginning = begin(value, on: thread, isAlone: traversal.isAlone)
    send(value, beginning, on: thread, after: { announce() })
    let old = store(value, number: beginning.number, on: thread)
    _ = old  // Released with the lock free.
    // Requests were answered with the old value meanwhile. Their subscribers receive the new value now.
    if answersDuringWrites.load(ordering: .relaxed) != answerCount { sendOnceMore(value, number: beginning.number) }
    table.end(traversal)
    finish(beginning.number, on: thread)
  }

  /// Announces a change and stores a value without a traversal, if there is no subscriber.
  ///
  /// A subscriber that comes meanwhile receives this value or a newer one, perhaps after the old one.
  ///
  /// - Returns: Whether the value was stored. If not, there may be subscribers.
  @inlinable
  @inline(__always)
  func sendToNobody(_ value: Value) -> Bool {
    let thread = Platform.currentThread
    let answerCount = answersDuringWrites.load(ordering: .relaxed)
    let beginning = valueLock.withLock { () -> CurrentValueState<Value>.Beginning? in
      // A traversal that begins after this check gets a greater number.
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

  /// Stores a value, unless another thread has stored a newer one. A newer value of this thread was written by a nested
  /// write, and the outer write is the last one.
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

  /// Delivers a stored value to the subscribers that have not received it.
  @usableFromInline
  func sendOnceMore(_ value: Value, number: Int) {
    table.visit(PublishedTable<Value>.Conduit.self) { $0.offerCurrent(value, number: number) }
  }

  @usableFromInline
  func register(_ conduit: SubjectConduit<Value, Never, CurrentValueNotes>) {
    // The set of subscribers that a write reaches is fixed when it begins. A subscriber that another thread adds later
    // receives the new value with its request, or after it. A subscriber that is added inside the write does not receive
    // the new value, as in Combine.
    let thread = Platform.currentThread
    let (current, own) = valueLock.withLock { (storedNumber, state.numberInProgress(on: thread, after: storedNumber)) }
    if let own { conduit.notes.startMissing(own) } else { conduit.notes.start(after: current - 1) }
    table.lock.withLock { table.insert(conduit, sustaining: self) }
    table.tidy()
  }

  /// Keeps an upstream subscription for this object's lifetime, or until it is dropped.
  func keep(_ subscription: any Subscription) -> UpstreamSubscriptions.Token {
    lock.withLock { upstreams.add(subscription) }
  }

  /// Drops an upstream subscription that has completed.
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

  /// The subject, while it has a subscriber.
  private var subject: PublishedSubject<Value>? {
    lock.withLock { sustainedObject }.map { unsafeDowncast($0, to: PublishedSubject<Value>.self) }
  }
}

/// A published property, as an observable object finds it among its stored properties.
protocol PublishedProperty {

  /// The publisher that announces changes of the property.
  var objectWillChange: ObservableObjectPublisher? { get }

  /// Sets the publisher that announces changes. It is called once, by one thread.
  func announceChanges(to publisher: ObservableObjectPublisher)
}

extension Published: PublishedProperty {

  var objectWillChange: ObservableObjectPublisher? { subject.objectWillChange }

  func announceChanges(to publisher: ObservableObjectPublisher) {
    subject.announceChanges(to: publisher)
  }
}
