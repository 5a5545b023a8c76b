/// The value of a publisher that has a current one, and the values that are being sent.
///
/// Threads that send at once deliver in the order of the values' numbers: each delivers what others have begun to send
/// before it, unless a subscriber has that already. So nothing is lost, and what comes last is the newest.
///
/// A thread that sends alone enters nothing here but the value itself. The next one that comes before that send has
/// finished does it instead, from ``value``.
@usableFromInline
struct CurrentValueState<Value> {

  /// A value that is being sent.
  @usableFromInline
  struct Sending {
    let number: Int
    let value: Value
    let thread: UInt
  }

  /// What a send is to do.
  @usableFromInline
  struct Beginning {

    @usableFromInline
    let number: Int

    /// What others are sending, and this value, in order; `nil` if no other thread sends.
    @usableFromInline
    let pending: [Sending]?

    /// Whether this send was made from within another one, and no other thread sends.
    @usableFromInline
    let isNested: Bool

    /// To be released with no lock held.
    @usableFromInline
    let replaced: Value

    @inlinable
    init(number: Int, pending: [Sending]? = nil, isNested: Bool = false, replaced: Value) {
      self.number = number
      self.pending = pending
      self.isNested = isNested
      self.replaced = replaced
    }
  }

  /// The newest value.
  @usableFromInline
  var value: Value

  /// How many values there have been.
  @usableFromInline
  var number = 1

  /// The thread that sent the newest.
  @usableFromInline
  var sender: UInt = 0

  /// What is being sent, by more than one send, in order.
  @usableFromInline
  var sendings: [Sending] = []

  /// Whether those are not all of one thread.
  @usableFromInline
  var isMixed = false

  @inlinable
  init(_ value: Value) {
    self.value = value
  }

  /// Begins to send a value.
  ///
  /// - Parameters:
  ///   - new: The value.
  ///   - thread: The sending thread.
  ///   - isAlone: Whether no other send was under way when this one began.
  @inlinable
  mutating func begin(_ new: Value, on thread: UInt, isAlone: Bool) -> Beginning {
    if !isAlone || !sendings.isEmpty { return beginAmongOthers(new, on: thread) }
    number += 1
    sender = thread
    return Beginning(number: number, replaced: exchange(&value, with: new))
  }

  @usableFromInline
  mutating func beginAmongOthers(_ new: Value, on thread: UInt) -> Beginning {
    if sendings.isEmpty {
      sendings.append(Sending(number: number, value: value, thread: sender))
      isMixed = false
    }
    if sendings[0].thread != thread { isMixed = true }
    number += 1
    sender = thread
    sendings.append(Sending(number: number, value: new, thread: thread))
    let replaced = exchange(&value, with: new)
    // A copy would make sends from within sends, however deep, copy all those around them.
    return isMixed
      ? Beginning(number: number, pending: sendings, replaced: replaced)
      : Beginning(number: number, isNested: true, replaced: replaced)
  }

  /// Finishes sending a value: every subscriber that it was sent to has got it, and all that were begun before it; but
  /// those of this thread, which are sent around it.
  ///
  /// - Returns: What is not kept any longer, to be released with no lock held.
  @usableFromInline
  mutating func finish(_ number: Int, on thread: UInt) -> [Sending] {
    if !isMixed, let last = sendings.last, last.number == number {
      sendings.removeLast()
      return [last]
    }
    let old = sendings
    sendings.removeAll { $0.number == number || $0.number < number && $0.thread != thread }
    return old
  }

  /// The numbers of the sends of one thread around its send of a value, but those up to a number.
  func outerNumbers(of number: Int, on thread: UInt, after last: Int) -> [Int] {
    sendings.reversed().prefix { $0.number > last }.filter { $0.thread == thread && $0.number < number }.map(\.number)
  }

  /// The number of the newest value that a thread is sending, for a subject that has stored another one until then.
  @usableFromInline
  func numberInProgress(on thread: UInt, after stored: Int) -> Int? {
    if let sending = sendings.last(where: { $0.thread == thread }) { return sending.number }
    return sender == thread && number > stored ? number : nil
  }
}
