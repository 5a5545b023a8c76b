import Synchronization

/// The current value, as a request is answered with it.
@usableFromInline
struct CurrentValueAnswer<Value> {
  let value: Value
  let number: Int

  /// The thread that sent it.
  let sender: UInt

  /// Whether it is sent again to a subscriber that has missed another value, of a send on this thread, since.
  let mayRepeat: Bool

  /// The numbers of older values that this thread is sending, around whatever it does now.
  let overtaken: [Int]
}

/// What a subject remembers that has a current value.
@usableFromInline
struct CurrentValueNotes: SubjectNotes, ~Copyable {

  @inlinable
  static var areKept: Bool { true }

  /// Whether the current value was sent, and no later one was missed. Written with the table's lock held.
  @usableFromInline
  let hasCurrentValue = Atomic<Bool>(false)

  /// The greatest number of a value delivered, or of those that came before the subscription. Touched only inside the
  /// gate, as what follows: atomic so that these notes never change as a whole.
  @usableFromInline
  let lastNumber = Atomic<Int>(0)

  /// What `lastNumber` was when a value was missed that nothing has made up for.
  @usableFromInline
  let missedAfter = Atomic<Int>(-1)

  /// The number of a value that counts as delivered, but is still to be sent with the first request.
  let repeatedNumber = Atomic<Int>(-1)

  /// How many requests are to be answered with the current value, inside the gate.
  let unansweredCount = Atomic<Int>(0)

  /// The thread that is handing over the subscription, or zero.
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

  /// Whether this thread is handing over the subscription.
  var isDeliveringSubscription: Bool {
    subscriptionThread.load(ordering: .relaxed) == Platform.currentThread
  }

  /// Notes that a subscriber does not get the value with a number, nor any before it, but the stored one with its first
  /// request.
  func startMissing(_ number: Int) {
    lastNumber.store(number, ordering: .relaxed)
    missedAfter.store(number, ordering: .relaxed)
    repeatedNumber.store(number, ordering: .relaxed)
  }

  /// Whether a value was missed, and none was delivered since.
  var hasMissed: Bool {
    missedAfter.load(ordering: .relaxed) == lastNumber.load(ordering: .relaxed)
  }

  /// Whether a value is newer than all that were delivered.
  @inlinable
  func isNews(_ number: Int) -> Bool {
    number > lastNumber.load(ordering: .relaxed)
  }

  @inlinable
  func note(_ number: Int) {
    if isNews(number) { lastNumber.store(number, ordering: .relaxed) }
  }
}
