/// The current value of a publisher, and the values that are being sent.
///
/// Threads that send at the same time deliver in the order of the values' numbers. Each thread also delivers the values
/// that others have begun to send before it, unless a subscriber has them already. So no value is lost, and the newest
/// value comes last:
///
///     thread A                                thread B
///     stores value 2
///                                             stores value 3, finds value 2 being sent
///                                             delivers 2 and 3
///     delivers 2: the subscriber has it
///
/// A thread that sends alone stores nothing but the value. If a second send begins before it has finished, that send adds
/// the entry for it, from ``value``.
@usableFromInline
struct CurrentValueState<Value> {

  /// A value that is being sent.
  @usableFromInline
  struct Sending {
    let number: Int
    let value: Value
    let thread: UInt
  }

  /// How a value is to be sent.
  @usableFromInline
  struct Beginning {

    @usableFromInline
    let number: Int

    /// The values that others are sending and this value, in order; `nil` if no other thread sends.
    @usableFromInline
    let pending: [Sending]?

    /// Whether this send is nested in another one, and no other thread sends.
    @usableFromInline
    let isNested: Bool

    /// The old value, to be released with no lock held.
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

  /// The number of the newest value.
  @usableFromInline
  var number = 1

  /// The thread that sent the newest value.
  @usableFromInline
  var sender: UInt = 0

  /// The values that are being sent, in order, if there is more than one send.
  @usableFromInline
  var sendings: [Sending] = []

  /// Whether they are of several threads.
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
  ///   - isAlone: Whether no other send was running when this one began.
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
    // No copy of `sendings`: each send in a deep nesting would copy all the outer ones.
    return isMixed
      ? Beginning(number: number, pending: sendings, replaced: replaced)
      : Beginning(number: number, isNested: true, replaced: replaced)
  }

  /// Ends the send of a value. Its subscribers have received this value and all that were begun before it, except the
  /// values of outer sends of this thread.
  ///
  /// - Returns: The entries that are dropped, to be released with no lock held.
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

  /// The numbers of the outer sends of a thread around its send of a value.
  ///
  /// - Parameter last: The number up to which they are left out.
  func outerNumbers(of number: Int, on thread: UInt, after last: Int) -> [Int] {
    sendings.reversed().prefix { $0.number > last }.filter { $0.thread == thread && $0.number < number }.map(\.number)
  }

  /// The number of the newest value that a thread is sending, for a publisher that stores values after their delivery.
  @usableFromInline
  func numberInProgress(on thread: UInt, after stored: Int) -> Int? {
    if let sending = sendings.last(where: { $0.thread == thread }) { return sending.number }
    return sender == thread && number > stored ? number : nil
  }
}
