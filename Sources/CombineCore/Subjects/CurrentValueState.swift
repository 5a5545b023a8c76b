/// How a value is to be sent while others may be sent.
@usableFromInline
struct SendingAmongOthers {

  @usableFromInline
  let number: Int

  /// The number of the innermost send around this one, on the same thread; zero if there is none.
  @usableFromInline
  let outer: Int

  /// Whether other threads may be sending values with smaller numbers.
  @usableFromInline
  let isMixed: Bool
}

/// The current value of a publisher, and the values that are being sent. Used with the lock of the values held.
///
/// Each value has a number. Threads that send at the same time deliver in the order of the numbers. A thread also delivers
/// the values that others have begun to send before its own, unless the subscriber has them already. So no value is lost,
/// and the newest value comes last:
///
///     thread A                                thread B
///     stores value 2
///                                             stores value 3, finds value 2 being sent
///                                             delivers 2 and 3
///     delivers 2: the subscriber has it
///
/// A thread that sends alone stores nothing but the value. If a second send begins before it has finished, that send adds
/// the entry for it.
///
/// A subscriber is known by its identity, which no other subscriber takes while a send is running.
@usableFromInline
struct CurrentValueState<Value> {

  /// What differs for one subscriber from the order of the numbers.
  @usableFromInline
  enum Exception: Equatable {

    /// A newer value came first: of a nested send, or with a request inside this send. This value still follows.
    ///
    /// The number is that of the newer value. As in Combine, a subscriber that has it, and no demand for this value, then lacks
    /// the current value.
    case overtaken(by: Int)

    var isOvertaken: Bool { if case .overtaken = self { true } else { false } }

    /// The sender has to wait for the subscriber, and has taken an element of the demand.
    case admitted

    /// The sender had to wait for the subscriber, and there was no demand. The value is missed.
    case rejected
  }

  /// Who removes the entry of a value.
  enum Remover {

    /// Its send, which has begun among others.
    case sender

    /// Its send, which has begun alone and has noted an exception. A request may note one after the send. Then the next
    /// send that begins alone removes the entry.
    case loneSender

    /// The first later send of another thread that has delivered its own value. It was another send that added the entry.
    case laterSend
  }

  /// A value that is being sent.
  @usableFromInline
  struct Sending {
    let number: Int
    let value: Value
    let thread: UInt

    var remover: Remover

    var exceptions: [(subscriber: ObjectIdentifier, exception: Exception)] = []

    /// The last subscriber to which the send has delivered values of other threads, before its own.
    var reached: ObjectIdentifier?

    func exception(at subscriber: ObjectIdentifier) -> Exception? {
      exceptions.last { $0.subscriber == subscriber }?.exception
    }

    mutating func note(_ exception: Exception, at subscriber: ObjectIdentifier) {
      if remover == .laterSend { remover = .loneSender }
      exceptions.append((subscriber, exception))
    }
  }

  /// The number of the newest value.
  @usableFromInline
  var number = 1

  /// The thread that sent the newest value.
  @usableFromInline
  var sender: UInt = 0

  /// The greatest number of a send that is over, of those that had an entry. Only they may have missed a subscriber, and then
  /// nobody else delivers their value.
  @usableFromInline
  var finishedNumber = 0

  @usableFromInline
  var storedNumber = 1

  @usableFromInline
  var storedSender: UInt = 0

  /// The values that are being sent, in order, if there is more than one send.
  @usableFromInline
  var sendings: [Sending] = [] {
    didSet { hasSendings = !sendings.isEmpty }
  }

  /// Whether there are any ``sendings``. A flag is read at once, in a debug build too.
  @usableFromInline
  var hasSendings = false

  /// Whether they are of several threads.
  private var isMixed = false

  /// Whether a value is stored after its delivery.
  @usableFromInline
  let storesLast: Bool

  /// The newest value, and after it the stored one if ``storesLast``; `nil` once the publisher is gone.
  ///
  /// The values lie at an address, so that the size of this structure does not depend on their type. Otherwise a debug build
  /// would look up this structure's type, and that of an optional, for each value.
  @usableFromInline
  var values: UnsafeMutablePointer<Value>?

  private var valueCount: Int { storesLast ? 2 : 1 }

  /// Creates a state.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - storesLast: Whether a value is stored after its delivery.
  @usableFromInline
  init(_ value: Value, storesLast: Bool) {
    self.storesLast = storesLast
    let values = UnsafeMutablePointer<Value>.allocate(capacity: valueCount)
    values.initialize(repeating: value, count: valueCount)
    self.values = values
  }

  /// The value of the subject or property, which is not gone.
  @inlinable
  var value: Value {
    guard let values else { preconditionFailure("the publisher is gone") }
    return storesLast ? values[1] : values[0]
  }

  // MARK: Sends

  /// Begins to send a value, if no other is being sent.
  ///
  /// - Parameters:
  ///   - state: The state. This method and ``store(in:_:number:on:)`` are static, as for another one a debug build looks up the
  ///     type of the state.
  ///   - value: The value, and afterwards the value before, to be released with no lock held.
  ///   - thread: The sending thread.
  /// - Returns: The value's number; zero if another is being sent.
  @inlinable
  static func beginAlone(in state: inout Self, _ value: inout Value, on thread: UInt) -> Int {
    guard !state.hasSendings, let values = state.values else { return 0 }
    state.number += 1
    state.sender = thread
    swap(&values.pointee, &value)
    return state.number
  }

  /// Begins to send a value while others may be sent.
  ///
  /// - Parameter isAlone: Whether no other send was running when this one began.
  /// - Returns: How to send it, and the value and the entries before, to be released with no lock held.
  mutating func beginAmongOthers(
    _ value: Value,
    on thread: UInt,
    isAlone: Bool
  ) -> (beginning: SendingAmongOthers, released: (Value?, [Sending])) {
    let newest = values?.pointee
    // Those that began alone have ended, for otherwise this one had not.
    let ended = isAlone ? sendings : []
    if isAlone { sendings.removeAll { $0.remover != .sender } }
    if sendings.isEmpty {
      isMixed = false
      if !isAlone, let newest, sender != 0, number > finishedNumber {
        sendings.append(Sending(number: number, value: newest, thread: sender, remover: .laterSend))
      }
    }
    if let first = sendings.first, first.thread != thread { isMixed = true }
    let outer = isMixed ? sendings.last { $0.thread == thread }?.number : sendings.last?.number
    number += 1
    sender = thread
    sendings.append(Sending(number: number, value: value, thread: thread, remover: .sender))
    let beginning = SendingAmongOthers(number: number, outer: outer ?? 0, isMixed: isMixed)
    values?.pointee = value
    return (beginning, (newest, ended))
  }

  /// Ends the send of a value. The subscribers have this value and all that were begun before it, except for outer values
  /// of this thread.
  ///
  /// - Returns: The entries before, to be released with no lock held.
  @usableFromInline
  mutating func finish(_ number: Int, on thread: UInt) -> [Sending] {
    finishedNumber = max(finishedNumber, number)
    if !isMixed, let last = sendings.last, last.number == number {
      sendings.removeLast()
      return [last]
    }
    let before = sendings
    sendings.removeAll {
      $0.number == number || $0.number < number && $0.thread != thread && $0.remover == .laterSend
    }
    return before
  }

  /// Stores a value after its delivery, unless another thread has stored a newer one. A newer value of this thread was
  /// written by a nested write, and the outer write is the last one.
  ///
  /// - Parameter value: The value, and afterwards what is to be released with no lock held.
  @inlinable
  static func store(in state: inout Self, _ value: inout Value, number: Int, on thread: UInt) {
    guard let values = state.values, number > state.storedNumber || state.storedSender == thread else { return }
    if number > state.storedNumber {
      state.storedNumber = number
      state.storedSender = thread
    } else if state.storedNumber == state.number {
      values[0] = value
    }
    swap(&values[1], &value)
  }

  /// Forgets the values.
  ///
  /// - Returns: The values, for ``release(_:)``.
  mutating func clear() -> UnsafeMutablePointer<Value>? {
    let taken = values
    values = nil
    return taken
  }

  /// Releases values that were cleared. No lock is held.
  func release(_ values: UnsafeMutablePointer<Value>?) {
    guard let values else { return }
    values.deinitialize(count: valueCount)
    values.deallocate()
  }

  // MARK: Exceptions

  /// The oldest value of other threads between two numbers, which a send delivers before its own.
  ///
  /// - Parameters:
  ///   - last: The number of the last value that the subscriber had.
  ///   - number: The number of the value of that send.
  mutating func next(
    after last: Int,
    before number: Int,
    otherThan thread: UInt,
    at subscriber: ObjectIdentifier
  ) -> Sending? {
    let next = sendings.first { $0.number > last && $0.number < number && $0.thread != thread }
    if next != nil, let index = sendings.lastIndex(where: { $0.number == number }) {
      sendings[index].reached = subscriber
    }
    return next
  }

  /// Whether the send of a value has reached a subscriber, so that an answer inside it is that value, and not a second one.
  func hasReached(_ subscriber: ObjectIdentifier, with number: Int) -> Bool {
    sendings.contains { $0.number == number && $0.reached == subscriber }
  }

  /// Notes that newer values of a thread, up to a number, have overtaken its outer values.
  ///
  /// - Parameters:
  ///   - last: The number of the last value that the subscriber had.
  ///   - number: The number of the value that comes first.
  mutating func noteOvertaken(
    after last: Int,
    before number: Int,
    on thread: UInt,
    at subscriber: ObjectIdentifier
  ) {
    for index in sendings.indices.reversed() {
      guard sendings[index].number > last else { return }
      guard sendings[index].number < number, sendings[index].thread == thread else { continue }
      sendings[index].note(.overtaken(by: number), at: subscriber)
    }
  }

  /// Takes the note that a value was overtaken.
  ///
  /// - Returns: The number in the note, if there was one, so that the subscriber still receives the value.
  mutating func takeOvertaken(_ number: Int, at subscriber: ObjectIdentifier) -> Int? {
    guard let index = sendings.lastIndex(where: { $0.number == number }),
      let note = sendings[index].exceptions.lastIndex(where: {
        $0.subscriber == subscriber && $0.exception.isOvertaken
      }),
      case .overtaken(let newer) = sendings[index].exceptions.remove(at: note).exception
    else { return nil }
    return newer
  }

  /// Notes an exception for a value that the calling thread is sending.
  mutating func note(
    _ exception: Exception,
    of number: Int,
    _ value: Value,
    on thread: UInt,
    at subscriber: ObjectIdentifier
  ) {
    let index =
      sendings.lastIndex { $0.number == number }
      ?? insert(Sending(number: number, value: value, thread: thread, remover: .loneSender))
    sendings[index].note(exception, at: subscriber)
  }

  /// Inserts the entry of a send that began alone.
  private mutating func insert(_ sending: Sending) -> Int {
    let index = sendings.firstIndex { $0.number > sending.number } ?? sendings.endIndex
    if sendings.isEmpty { isMixed = false } else if sendings[0].thread != sending.thread { isMixed = true }
    sendings.insert(sending, at: index)
    return index
  }

  // MARK: Requests

  /// The current value, as the answer to a request.
  ///
  /// A request inside a write on the same thread is answered with the stored value, as in Combine.
  ///
  /// - Parameter thread: The thread that made the request, or zero if it is not the calling thread.
  @inlinable
  func answer(on thread: UInt) -> (value: Value, number: Int)? {
    guard let values else { return nil }
    return storesLast && isWriting(on: thread) ? (values[1], storedNumber) : (values[0], number)
  }

  /// Whether a thread is sending a value that is stored later.
  @inlinable
  func isWriting(on thread: UInt) -> Bool {
    if sender == thread, number > storedNumber { return true }
    return hasSendings && isWritingAmongOthers(on: thread)
  }

  @inline(never)
  @usableFromInline
  func isWritingAmongOthers(on thread: UInt) -> Bool {
    sendings.contains { $0.thread == thread && $0.number > storedNumber }
  }

  /// The number of elements of demand that threads have taken which wait to deliver a value up to a number.
  func admittedCount(after last: Int, through number: Int, at subscriber: ObjectIdentifier) -> Int {
    sendings.count { $0.number > last && $0.number <= number && $0.exception(at: subscriber) == .admitted }
  }
}
