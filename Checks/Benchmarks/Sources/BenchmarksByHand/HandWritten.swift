/// A list of closures to call. Unlike with an array of closures, a call neither retains nor wraps a closure.
final class HandSubject {

  private let receivers: UnsafeMutableBufferPointer<Receiver>

  private struct Receiver: ~Copyable {

    let closure: (Int) -> Void

    func receive(_ element: Int) { closure(element) }
  }

  init(count: Int = 1, receiver: () -> (Int) -> Void) {
    receivers = .allocate(capacity: count)
    for index in 0..<count {
      receivers.initializeElement(at: index, to: Receiver(closure: receiver()))
    }
  }

  deinit {
    receivers.deinitialize().deallocate()
  }

  func send(_ element: Int) {
    for index in receivers.indices { receivers[index].receive(element) }
  }
}

/// The elements of both inputs that wait for a counterpart.
final class HandPairs {

  @exclusivity(unchecked)  // These two: used by one thread, and no access calls anything.
  private var firsts: [Int] = []

  @exclusivity(unchecked)
  private var seconds: [Int] = []

  private let sink: (Int, Int) -> Void

  init(_ sink: @escaping (Int, Int) -> Void) {
    self.sink = sink
  }

  func receiveFirst(_ element: Int) {
    if seconds.isEmpty {
      firsts.append(element)
    } else {
      sink(element, seconds.removeFirst())
    }
  }

  func receiveSecond(_ element: Int) {
    if firsts.isEmpty {
      seconds.append(element)
    } else {
      sink(firsts.removeFirst(), element)
    }
  }
}

/// A closure that is called until it is cancelled.
final class HandSubscription {

  private var receiver: ((Int) -> Void)?

  init(_ receiver: @escaping (Int) -> Void) {
    self.receiver = receiver
  }

  func receive(_ element: Int) {
    receiver?(element)
  }

  func cancel() {
    receiver = nil
  }
}

/// The latest elements of both inputs.
final class HandLatest {

  @exclusivity(unchecked)  // These two: used by one thread, and no access calls anything.
  private var first: Int?

  @exclusivity(unchecked)
  private var second: Int?

  private let sink: (Int, Int) -> Void

  init(_ sink: @escaping (Int, Int) -> Void) {
    self.sink = sink
  }

  func receiveFirst(_ element: Int) {
    first = element
    if let second { sink(element, second) }
  }

  func receiveSecond(_ element: Int) {
    second = element
    if let first { sink(first, element) }
  }
}

/// A value that calls a closure now and whenever it is set.
final class HandValue {

  private let receiver: (Int) -> Void

  @exclusivity(unchecked)  // Used by one thread, and no access calls anything.
  private var stored: Int

  init(_ value: Int, _ receiver: @escaping (Int) -> Void) {
    stored = value
    self.receiver = receiver
    receiver(value)
  }

  var value: Int {
    get { stored }
    set {
      stored = newValue
      receiver(newValue)
    }
  }
}

/// A closure that is called on another thread.
///
/// `@unchecked Sendable`: it is called on one thread at a time.
final class Receiver: @unchecked Sendable {

  private let closure: (Int) -> Void

  init(_ closure: @escaping (Int) -> Void) {
    self.closure = closure
  }

  func receive(_ element: Int) { closure(element) }
}

/// An asynchronous sequence of the elements of a range.
struct HandSequence: AsyncSequence {

  let elements: Range<Int>

  func makeAsyncIterator() -> Iterator { Iterator(elements: elements.makeIterator()) }

  struct Iterator: AsyncIteratorProtocol {

    var elements: Range<Int>.Iterator

    mutating func next() async -> Int? { elements.next() }
  }
}

/// A list of closures like that of `HandSubject`, each of which receives the previous one's result.
final class HandChain {

  private let transforms: UnsafeMutableBufferPointer<Transform>

  private struct Transform: ~Copyable {

    let closure: (Int) -> Int

    func callAsFunction(_ element: Int) -> Int { closure(element) }
  }

  init(length: Int, transform: (_ index: Int) -> (Int) -> Int) {
    transforms = .allocate(capacity: length)
    for index in 0..<length {
      transforms.initializeElement(at: index, to: Transform(closure: transform(index)))
    }
  }

  deinit {
    transforms.deinitialize().deallocate()
  }

  func callAsFunction(_ element: Int) -> Int {
    var result = element
    for index in transforms.indices { result = transforms[index](result) }
    return result
  }
}
