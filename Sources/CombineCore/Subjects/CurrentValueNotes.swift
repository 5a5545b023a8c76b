import Synchronization

/// The current value, as the answer to a request.
@usableFromInline
struct CurrentValueAnswer<Value> {
  let value: Value
  let number: Int

  /// The thread that sent it.
  let sender: UInt

  /// Whether it is delivered again to a subscriber that has since missed a value of a send on this thread.
  let mayRepeat: Bool

  /// The numbers of older values that this thread is sending at the moment, in outer calls.
  let overtaken: [Int]
}

/// What a subject with a current value notes about each subscriber.
@usableFromInline
struct CurrentValueNotes: SubjectNotes, ~Copyable {

  @inlinable
  static var areKept: Bool { true }

  /// Whether the current value was delivered and no later one was missed. Written with the table's lock held.
  @usableFromInline
  let hasCurrentValue = Atomic<Bool>(false)

  /// The greatest number of a value that was delivered or came before the subscription. This and the following
  /// properties are used only inside the gate. They are atomic so that a change is not a change of the whole structure.
  @usableFromInline
  let lastNumber = Atomic<Int>(0)

  /// The `lastNumber` at which a value was missed, until the next delivery.
  @usableFromInline
  let missedAfter = Atomic<Int>(-1)

  /// The number of a value that counts as delivered, but is still delivered with the first request.
  let repeatedNumber = Atomic<Int>(-1)

  /// The number of requests that are still to be answered with the current value, inside the gate.
  let unansweredCount = Atomic<Int>(0)

  /// The thread that is delivering the subscription, or zero.
  @usableFromInline
  let subscriptionThread = Atomic<UInt>(0)

  @inlinable
  init() {}

  @inlinable
  func start(after number: Int) {
    lastNumber.store(number, ordering: .relaxed)
  }

  @inlinable
  func deliveringSubscription(_ body: () -> Void) {
    subscriptionThread.store(Platform.currentThread, ordering: .relaxed)
    body()
    subscriptionThread.store(0, ordering: .relaxed)
  }

  /// Whether this thread is delivering the subscription.
  var isDeliveringSubscription: Bool {
    subscriptionThread.load(ordering: .relaxed) == Platform.currentThread
  }

  /// Notes that a subscriber does not receive the values up to a number, but receives the stored value with its first
  /// request.
  func startMissing(_ number: Int) {
    lastNumber.store(number, ordering: .relaxed)
    missedAfter.store(number, ordering: .relaxed)
    repeatedNumber.store(number, ordering: .relaxed)
  }

  /// Whether a value was missed and none was delivered since.
  var hasMissed: Bool {
    missedAfter.load(ordering: .relaxed) == lastNumber.load(ordering: .relaxed)
  }

  /// Whether a value is newer than all values that were delivered.
  @inlinable
  func isNews(_ number: Int) -> Bool {
    number > lastNumber.load(ordering: .relaxed)
  }

  @inlinable
  func note(_ number: Int) {
    if isNews(number) { lastNumber.store(number, ordering: .relaxed) }
  }
}
