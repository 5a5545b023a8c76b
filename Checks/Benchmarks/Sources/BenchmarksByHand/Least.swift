import BenchmarkSupport
import Dispatch
import Synchronization

/// The least that a workload takes, whoever implements it: the objects, locks, calls and runtime functions that Combine's
/// contract requires, and nothing else.
///
/// Unlike ``ByHand``, it keeps the contract of the workload. A subscription is an object that holds the subscriber, and that
/// others can hold; a subject may be used by two threads; a stage does not know its neighbour's type. It does not keep all of
/// it: nothing serializes the calls of a subscriber, no demand is counted, and nothing is reflected or described.
public enum Least: Contestant {

  public static func work(for workload: Workload) -> Work? {
    switch workload {
    case .tenErasures: tenErasures
    case .subscribeToSubject: subscribeToSubject
    case .subscribeCrowd: subscribeCrowd
    case .future: future
    case .tryMapCatch: tryMapCatch
    case .receiveOnBacklog: receiveOnBacklog
    case .values: values
    default: nil
    }
  }

  /// Each stage calls its closure, and the function of the next stage.
  static func tenErasures(_ count: Int, _ checksum: Checksum) {
    // The stages hide their closures, which would be wrapped in others to be hidden.
    var stage: LeastStage<Int> = opaque(LeastEnd { checksum.add($0) })
    for number in 1...10 {
      stage = opaque(LeastMap(next: stage) { $0 &+ number })
    }
    let first = stage
    let send: (Int) -> Void = opaque { _ = first.receive($0) }
    let subject = opaque(HandSubject { send })
    for element in 0..<count { subject.send(element) }
  }

  static func subscribeToSubject(_ count: Int, _ checksum: Checksum) {
    let subject = opaque(LeastSubject())
    for element in 0..<count {
      let sink = opaque(LeastSink(opaque { checksum.add($0) }))
      sink.subscribe(to: subject)
      if element % 1000 == 0 { subject.send(element) }
      sink.cancel()
    }
  }

  /// The token of each subscription is an object, too, as it is kept.
  static func subscribeCrowd(_ count: Int, _ checksum: Checksum) {
    let size = min(count, 10_000)
    for _ in 0..<count / size {
      let subject = opaque(LeastSubject(value: 1))
      var members: [LeastToken] = []
      members.reserveCapacity(size)
      for _ in 0..<size {
        let sink = opaque(LeastSink(opaque { checksum.add($0) }))
        sink.subscribe(to: subject)
        if let value = subject.value { sink.receive(value) }
        members.append(LeastToken(sink))
      }
      for member in members { member.sink.cancel() }
    }
  }

  /// The future, whose result another thread may set, and the sink.
  static func future(_ count: Int, _ checksum: Checksum) {
    for element in 0..<count {
      let future = opaque(LeastFuture { $0(element) })
      let sink = opaque(LeastSink(opaque { checksum.add($0) }))
      let transform: (Int) -> Int = opaque { $0 &* 3 }
      if let result = future.result { sink.receiveLast(transform(result)) }
      sink.cancel()
    }
  }

  /// The sink, a subscription for each of the two operators, and the error.
  static func tryMapCatch(_ count: Int, _ checksum: Checksum) {
    struct Refusal: Error {}
    for element in 0..<count {
      let transform: (Int) throws -> Int = opaque { (_: Int) throws -> Int in throw Refusal() }
      let sink = opaque(LeastSink(opaque { checksum.add($0) }))
      let outer = opaque(LeastConnection())
      let inner = opaque(LeastConnection())
      outer.keep(inner)
      sink.keep(outer)
      do {
        sink.receiveLast(try transform(element))
      } catch {
        inner.cancel()
        outer.keep(nil)
        sink.receiveLast(element &* 3)
      }
      sink.cancel()
    }
  }

  /// One block for all actions, each of which takes the oldest value.
  static func receiveOnBacklog(_ count: Int, _ checksum: Checksum) {
    let queue = DispatchQueue(label: "receiver")
    let values = LeastValues()
    let sink = Receiver { checksum.add($0) }
    let action: @convention(block) @Sendable () -> Void = { if let value = values.takeFirst() { sink.receive(value) } }
    queue.suspend()
    for element in 0..<count {
      values.append(element)
      queue.async(execute: action)
    }
    queue.resume()
    queue.sync {}
  }

  /// Each element is requested inside a handler of cancellations: the source may take long to answer, or for ever.
  static func values(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let transform: (Int) -> Int = opaque { $0 &* 3 }
      let values = LeastValues()
      for element in 0..<count {
        let value = await withTaskCancellationHandler {
          values.append(transform(element))
          return values.takeFirst()
        } onCancel: {
          values.cancel()
        }
        if let value { checksum.add(value) }
      }
    }
  }
}

// MARK: Subjects

/// A subject whose subscribers may come and go on any thread.
private final class LeastSubject: Sendable {

  private struct State {
    var value: Int?
    var subscriptions: [LeastSubscription?] = []
    var count = 0
  }

  private let state: Mutex<State>

  init(value: Int? = nil) {
    state = Mutex(State(value: value))
  }

  /// The current value, if there is one.
  var value: Int? { state.withLock { $0.value } }

  func add(_ subscription: LeastSubscription) {
    state.withLock {
      subscription.index = $0.subscriptions.count
      $0.subscriptions.append(subscription)
      $0.count += 1
    }
  }

  func remove(_ subscription: LeastSubscription) {
    let removed = state.withLock { state in
      let removed = state.subscriptions[subscription.index]
      state.subscriptions[subscription.index] = nil
      state.count -= 1
      if state.count == 0 { state.subscriptions.removeAll(keepingCapacity: true) }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  func send(_ element: Int) {
    for subscription in state.withLock({ $0.subscriptions }) { subscription?.subscriber?.receive(element) }
  }
}

/// A subscription to a subject.
///
/// `@unchecked Sendable`: the subject's lock guards the index, and one thread uses it.
private final class LeastSubscription: @unchecked Sendable {

  let subject: LeastSubject

  @exclusivity(unchecked)  // These two: used by one thread, and no access calls anything.
  var subscriber: LeastSink?

  @exclusivity(unchecked)
  var index = 0

  init(subject: LeastSubject, subscriber: LeastSink) {
    self.subject = subject
    self.subscriber = subscriber
  }

  func cancel() {
    subject.remove(self)
    subscriber = nil
  }
}

/// A subscriber that calls a closure, until one thread of several ends it.
private final class LeastSink {

  @exclusivity(unchecked)  // These three: used by one thread, and no access calls anything.
  private var closure: ((Int) -> Void)?

  @exclusivity(unchecked)
  private var subscription: LeastSubscription?

  @exclusivity(unchecked)
  private var connection: LeastConnection?

  private let hasEnded = Atomic<Bool>(false)

  init(_ closure: @escaping (Int) -> Void) {
    self.closure = closure
  }

  func subscribe(to subject: LeastSubject) {
    let subscription = LeastSubscription(subject: subject, subscriber: self)
    subject.add(subscription)
    self.subscription = subscription
  }

  func keep(_ connection: LeastConnection) {
    self.connection = connection
  }

  func receive(_ element: Int) {
    closure?(element)
  }

  /// Receives an element and the completion.
  func receiveLast(_ element: Int) {
    closure?(element)
    if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { release() }
  }

  func cancel() {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    subscription?.cancel()
    release()
  }

  private func release() {
    subscription = nil
    connection = nil
    closure = nil
  }
}

/// What `sink` returns.
private final class LeastToken {

  let sink: LeastSink

  init(_ sink: LeastSink) {
    self.sink = sink
  }
}

// MARK: Operators

/// What each stage knows of the next one. Elements may be of any type, so Swift passes them in memory.
private class LeastStage<Element> {

  /// A function that is made where the types are known. An overridden method would look them up for each element.
  private let function: (LeastStage, Element) -> Int

  init(_ function: @escaping (LeastStage, Element) -> Int) {
    self.function = function
  }

  /// - Returns: The demand.
  @inline(__always)
  final func receive(_ element: Element) -> Int { function(self, element) }
}

/// A stage that transforms each element.
private final class LeastMap<Input, Output>: LeastStage<Input> {

  private let next: LeastStage<Output>
  private let transform: (Input) -> Output

  @inline(__always)
  init(next: LeastStage<Output>, transform: @escaping (Input) -> Output) {
    self.next = next
    self.transform = transform
    super.init {
      let stage = unsafeDowncast($0, to: LeastMap.self)
      return stage.next.receive(stage.transform($1))
    }
  }
}

/// The end of a chain.
private final class LeastEnd<Element>: LeastStage<Element> {

  private let closure: (Element) -> Void

  @inline(__always)
  init(_ closure: @escaping (Element) -> Void) {
    self.closure = closure
    super.init {
      unsafeDowncast($0, to: LeastEnd.self).closure($1)
      return 0
    }
  }
}

/// The subscription of an operator, which keeps the one in front of it until one thread of several cancels.
private final class LeastConnection: Sendable {

  private let upstream = Mutex<LeastConnection?>(nil)

  func keep(_ connection: LeastConnection?) {
    let previous = upstream.withLock { upstream in
      let previous = upstream
      upstream = connection
      return previous
    }
    withExtendedLifetime(previous) {}
  }

  func cancel() {
    keep(nil)
  }
}

/// A result that one thread of several sets.
private final class LeastFuture: Sendable {

  private let stored = Mutex<Int?>(nil)

  init(_ attempt: (@escaping (Int) -> Void) -> Void) {
    attempt { [self] result in stored.withLock { $0 = $0 ?? result } }
  }

  var result: Int? { stored.withLock { $0 } }
}

/// Values that wait, for any number of threads.
private final class LeastValues: Sendable {

  private let values = Mutex<(waiting: [Int], first: Int)>(([], 0))

  func append(_ value: Int) {
    values.withLock { $0.waiting.append(value) }
  }

  func takeFirst() -> Int? {
    values.withLock {
      guard $0.first < $0.waiting.count else { return nil }
      let value = $0.waiting[$0.first]
      $0.first += 1
      if $0.first == $0.waiting.count { $0 = ([], 0) }
      return value
    }
  }

  func cancel() {
    values.withLock { $0 = ([], 0) }
  }
}
