import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import Dispatch
  import OpenCombine
  import OpenCombineDispatch
#else
  import CombineDispatch
  import Dispatch
#endif

private typealias Numbers = AnyPublisher<Int, Never>

private struct Refusal: Error {}

/// What a run of a pipeline that was made at random needs beside its operators.
private final class Surroundings {

  let count: Int
  let clock = VirtualClock()
  let queue = DispatchQueue(label: "receiver")
  let subscribingQueue = DispatchQueue(label: "subscriber")
  var isSuspended = false

  init(count: Int) {
    self.count = count
  }
}

extension Pipelines {

  public static func work(for assembly: Assembly) -> Work? {
    { count, checksum in
      let surroundings = Surroundings(count: count)
      let hasEnded = DispatchSemaphore(value: 0)
      let source = Origin(assembly.source, surroundings)
      var numbers = source.numbers
      for (index, step) in assembly.steps.enumerated() {
        numbers = append(step, index + 1, to: numbers, surroundings)
      }
      if surroundings.isSuspended { surroundings.queue.suspend() }
      let subscriber = Receiver(assembly.asking, checksum, hasEnded)
      numbers.subscribe(subscriber)
      if assembly.isConcurrent { surroundings.subscribingQueue.sync {} }
      source.send()
      surroundings.clock.advance(by: 1_000_000)
      if surroundings.isSuspended { surroundings.queue.resume() }
      if assembly.isConcurrent { hasEnded.wait() }
      subscriber.cancel()
    }
  }

  /// - Parameter index: A number that makes each step of a kind another one.
  private static func append(_ step: Assembly.Step, _ index: Int, to upstream: Numbers, _ surroundings: Surroundings)
    -> Numbers
  {
    let clock = surroundings.clock
    switch step {
    case .map: return upstream.map { $0 &+ index }.eraseToAnyPublisher()
    case .filter: return upstream.filter { $0 & 7 != index & 7 }.eraseToAnyPublisher()
    case .compactMap: return upstream.compactMap { $0 & 7 == index & 7 ? nil : $0 }.eraseToAnyPublisher()
    case .scan: return upstream.scan(index) { $0 &+ $1 }.eraseToAnyPublisher()
    case .tryScan: return upstream.tryScan(index) { $0 ^ $1 }.replaceError(with: 0).eraseToAnyPublisher()
    case .removeDuplicates: return upstream.removeDuplicates { $0 >> 1 == $1 >> 1 }.eraseToAnyPublisher()
    case .replaceNil:
      return upstream.map { $0 & 3 == 0 ? nil : Optional($0) }.replaceNil(with: index).eraseToAnyPublisher()
    case .replaceEmpty: return upstream.replaceEmpty(with: index).eraseToAnyPublisher()
    case .replaceError:
      return upstream.setFailureType(to: Refusal.self).replaceError(with: index).eraseToAnyPublisher()
    case .mapError:
      return upstream.setFailureType(to: Refusal.self).mapError { $0 as any Error }.replaceError(with: index)
        .eraseToAnyPublisher()
    case .setFailureType:
      return upstream.setFailureType(to: Refusal.self).assertNoFailure().eraseToAnyPublisher()
    case .handleEvents:
      return upstream.handleEvents(receiveOutput: { _ in }, receiveCompletion: { _ in }).eraseToAnyPublisher()
    case .dropFirst: return upstream.dropFirst(index).eraseToAnyPublisher()
    case .dropWhile: return upstream.drop { $0 & 15 != index & 15 }.eraseToAnyPublisher()
    case .prefix: return upstream.prefix(1 << 30).eraseToAnyPublisher()
    case .prefixWhile: return upstream.prefix { $0 != .max }.eraseToAnyPublisher()
    case .output: return upstream.output(in: index..<(1 << 30)).eraseToAnyPublisher()
    case .ignoreNothing: return upstream.tryFilter { _ in true }.replaceError(with: 0).eraseToAnyPublisher()
    case .catchNothing:
      return upstream.setFailureType(to: Refusal.self).catch { _ in Just(0) }.eraseToAnyPublisher()
    case .tryCatchNothing:
      return upstream.setFailureType(to: Refusal.self).tryCatch { _ in Just(0) }.replaceError(with: 0)
        .eraseToAnyPublisher()
    case .retry: return upstream.setFailureType(to: Refusal.self).retry(2).replaceError(with: 0).eraseToAnyPublisher()
    case .append: return upstream.append([1, 2, 3]).eraseToAnyPublisher()
    case .prepend: return upstream.prepend([1, 2, 3]).eraseToAnyPublisher()
    case .zip: return upstream.zip(numbers(surroundings)) { $0 &+ $1 }.eraseToAnyPublisher()
    case .flatMap: return upstream.flatMap { Just($0 &+ index) }.eraseToAnyPublisher()
    case .flatMapOne: return upstream.flatMap(maxPublishers: .max(1)) { Just($0 &+ index) }.eraseToAnyPublisher()
    case .flatMapTwo:
      return upstream.flatMap { Publishers.Sequence<[Int], Never>(sequence: [$0, $0 &+ index]) }.eraseToAnyPublisher()
    case .switchToLatest:
      return upstream.map { Just($0 &+ index) }.switchToLatest().eraseToAnyPublisher()
    case .collectAndFlatten:
      return upstream.collect(10).flatMap { Publishers.Sequence<[Int], Never>(sequence: $0) }.eraseToAnyPublisher()
    case .share: return upstream.share().eraseToAnyPublisher()
    case .multicast: return upstream.multicast { PassthroughSubject<Int, Never>() }.autoconnect().eraseToAnyPublisher()
    case .buffer:
      return upstream.buffer(size: .max, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher()
    case .bufferByRequest:
      return upstream.buffer(size: 1 << 30, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher()
    case .measureInterval:
      return upstream.measureInterval(using: clock).map { $0.nanoseconds / 1_000_000 }.eraseToAnyPublisher()
    case .encodeAndDecode:
      return upstream.encode(encoder: TextCoder()).decode(type: Int.self, decoder: TextCoder()).replaceError(with: 0)
        .eraseToAnyPublisher()
    case .receiveOn: return upstream.receive(on: clock).eraseToAnyPublisher()
    case .subscribeOn: return upstream.subscribe(on: clock).eraseToAnyPublisher()
    case .delay: return upstream.delay(for: .milliseconds(2), scheduler: clock).eraseToAnyPublisher()
    case .debounce: return upstream.debounce(for: .nanoseconds(500_000), scheduler: clock).eraseToAnyPublisher()
    case .throttle:
      return upstream.throttle(for: .milliseconds(3), scheduler: clock, latest: index & 1 == 0).eraseToAnyPublisher()
    case .timeout: return upstream.timeout(.seconds(1_000_000), scheduler: clock).eraseToAnyPublisher()
    case .receiveOnImmediate: return upstream.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher()
    case .receiveOnQueue: return upstream.receive(on: surroundings.queue.asScheduler).eraseToAnyPublisher()
    case .receiveOnSuspendedQueue:
      surroundings.isSuspended = true
      return upstream.receive(on: surroundings.queue.asScheduler).eraseToAnyPublisher()
    case .subscribeOnQueue:
      return upstream.subscribe(on: surroundings.subscribingQueue.asScheduler).eraseToAnyPublisher()
    case .sevenMaps:
      return Publishers.Map(upstream: upstream) { $0 &+ 1 }.eachTwice().eachTwice().eachTwice().eraseToAnyPublisher()
    case .mapFilterMap:
      let mapped = Publishers.Map(upstream: upstream) { $0 &* 3 }
      return Publishers.Map(upstream: mapped.filter { $0 & 7 != 0 }) { $0 ^ 5 }.eraseToAnyPublisher()
    case .scanRemoveDuplicatesCompactMap:
      return upstream.scan(0) { $0 &+ ($1 & 1) }.removeDuplicates().compactMap { $0 & 3 == 0 ? nil : $0 }
        .eraseToAnyPublisher()
    case .tryMapReplaceError:
      return upstream.tryMap { if $0 == .min { throw Refusal() } else { $0 &+ 1 } }.replaceError(with: 0)
        .eraseToAnyPublisher()
    case .zipMap:
      return upstream.zip(numbers(surroundings)).map { $0 &* 3 &- $1 }.filter { $0 & 15 != 0 }.eraseToAnyPublisher()
    case .flatMapMap:
      return upstream.flatMap { Just($0).map { $0 &* 3 } }.map { $0 &+ 1 }.eraseToAnyPublisher()
    case .reduce: return upstream.reduce(0) { $0 &+ $1 }.eraseToAnyPublisher()
    case .count: return upstream.count().eraseToAnyPublisher()
    case .collect: return upstream.collect().map { $0.reduce(0, &+) }.eraseToAnyPublisher()
    case .last: return upstream.last().eraseToAnyPublisher()
    case .max: return upstream.max().eraseToAnyPublisher()
    case .first: return upstream.first { $0 == .max }.eraseToAnyPublisher()
    case .contains: return upstream.contains(.max).map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    case .allSatisfy: return upstream.allSatisfy { $0 != .max }.map { $0 ? 1 : 0 }.eraseToAnyPublisher()
    }
  }

  private static func numbers(_ surroundings: Surroundings) -> Publishers.Sequence<Range<Int>, Never> {
    Publishers.Sequence(sequence: 0..<4 * surroundings.count)
  }
}

extension Publisher where Output == Int {

  fileprivate func eachTwice() -> Publishers.Map<Publishers.Map<Self, Int>, Int> {
    Publishers.Map(upstream: Publishers.Map(upstream: self) { $0 &+ 3 }) { $0 ^ 2 }
  }
}

/// The source of a pipeline. It sends numbers from zero on.
private struct Origin {

  let numbers: Numbers
  let send: () -> Void

  init(_ kind: Assembly.Source, _ surroundings: Surroundings) {
    let count = surroundings.count
    let clock = surroundings.clock
    switch kind {
    case .sequence:
      numbers = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count).eraseToAnyPublisher()
      send = {}
    case .array:
      numbers = Publishers.Sequence<[Int], Never>(sequence: Array(0..<count)).eraseToAnyPublisher()
      send = {}
    case .deferredSequence:
      numbers = Deferred { Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count) }.eraseToAnyPublisher()
      send = {}
    case .passthroughSubject:
      let subject = PassthroughSubject<Int, Never>()
      numbers = subject.eraseToAnyPublisher()
      send = { Self.send(to: subject, surroundings) }
    case .currentValueSubject:
      let subject = CurrentValueSubject<Int, Never>(-1)
      numbers = subject.eraseToAnyPublisher()
      send = { Self.send(to: subject, surroundings) }
    case .published:
      // Its publisher does not complete, so another one ends it.
      let model = Observed()
      let end = PassthroughSubject<Int, Never>()
      numbers = model.$number.prefix(untilOutputFrom: end).eraseToAnyPublisher()
      send = {
        for number in 0..<count {
          model.number = number
          clock.advance(by: 1_000_000)
        }
        end.send(0)
      }
    }
  }

  private static func send(to subject: some Subject<Int, Never>, _ surroundings: Surroundings) {
    for number in 0..<surroundings.count {
      subject.send(number)
      surroundings.clock.advance(by: 1_000_000)
    }
    subject.send(completion: .finished)
  }
}

private final class Observed: ObservableObject {

  @Published var number = -1
}

/// The subscriber at the end of a pipeline.
private final class Receiver: Subscriber {

  typealias Input = Int
  typealias Failure = Never

  private let asking: Assembly.Asking
  private let checksum: Checksum
  private let hasEnded: DispatchSemaphore
  private var subscription: (any Subscription)?
  private var received = 0

  init(_ asking: Assembly.Asking, _ checksum: Checksum, _ hasEnded: DispatchSemaphore) {
    self.asking = asking
    self.checksum = checksum
    self.hasEnded = hasEnded
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    switch asking {
    case .unlimited: subscription.request(.unlimited)
    case .oneByOne, .byRequest: subscription.request(.max(1))
    case .inTens: subscription.request(.max(10))
    }
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    checksum.add(input)
    switch asking {
    case .unlimited: return .none
    case .oneByOne: return .max(1)
    case .byRequest:
      subscription?.request(.max(1))
      return .none
    case .inTens:
      received += 1
      return received % 10 == 0 ? .max(10) : .none
    }
  }

  func receive(completion: Subscribers.Completion<Never>) {
    checksum.add(1)
    hasEnded.signal()
  }

  func cancel() { subscription?.cancel() }
}

/// A coder whose own work is small.
private struct TextCoder: TopLevelEncoder, TopLevelDecoder {

  func encode(_ value: some Encodable) throws -> Int { value as? Int ?? 0 }

  func decode<Value: Decodable>(_ type: Value.Type, from input: Int) throws -> Value {
    guard let value = input as? Value else { throw Refusal() }
    return value
  }
}

extension DispatchQueue {

  #if OPENCOMBINE
    fileprivate var asScheduler: OCombine { ocombine }
  #else
    fileprivate var asScheduler: DispatchQueue { self }
  #endif
}

/// A scheduler whose time passes only when it is told to. One thread uses it.
private final class VirtualClock: Scheduler {

  struct SchedulerTimeType: Strideable {

    var nanoseconds: Int

    func distance(to other: Self) -> Span { Span(nanoseconds: other.nanoseconds - nanoseconds) }
    func advanced(by span: Span) -> Self { Self(nanoseconds: nanoseconds + span.nanoseconds) }

    struct Span: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric {

      var nanoseconds: Int

      init(nanoseconds: Int) { self.nanoseconds = nanoseconds }
      init(integerLiteral value: Int) { nanoseconds = value * 1_000_000_000 }
      init?<Source: BinaryInteger>(exactly source: Source) { nanoseconds = Int(source) * 1_000_000_000 }

      var magnitude: Int { abs(nanoseconds) }

      static func < (one: Self, other: Self) -> Bool { one.nanoseconds < other.nanoseconds }
      static func + (one: Self, other: Self) -> Self { Self(nanoseconds: one.nanoseconds + other.nanoseconds) }
      static func - (one: Self, other: Self) -> Self { Self(nanoseconds: one.nanoseconds - other.nanoseconds) }
      static func * (one: Self, other: Self) -> Self { Self(nanoseconds: one.nanoseconds * other.nanoseconds) }
      static func += (one: inout Self, other: Self) { one = one + other }
      static func -= (one: inout Self, other: Self) { one = one - other }
      static func *= (one: inout Self, other: Self) { one = one * other }

      static func seconds(_ seconds: Int) -> Self { Self(nanoseconds: seconds * 1_000_000_000) }
      static func seconds(_ seconds: Double) -> Self { Self(nanoseconds: Int(seconds * 1_000_000_000)) }
      static func milliseconds(_ milliseconds: Int) -> Self { Self(nanoseconds: milliseconds * 1_000_000) }
      static func microseconds(_ microseconds: Int) -> Self { Self(nanoseconds: microseconds * 1000) }
      static func nanoseconds(_ nanoseconds: Int) -> Self { Self(nanoseconds: nanoseconds) }
    }
  }

  typealias SchedulerOptions = Never

  private final class Action: Cancellable {

    let run: () -> Void
    var isCancelled = false

    init(_ run: @escaping () -> Void) {
      self.run = run
    }

    func cancel() { isCancelled = true }
  }

  private(set) var now = SchedulerTimeType(nanoseconds: 0)
  let minimumTolerance = SchedulerTimeType.Span(nanoseconds: 0)

  /// The actions that are due now, in order.
  private var due: [Action] = []

  /// The others, the earliest first, behind those that have run. An action that is later than the others only goes to the end, so
  /// that a run measures the operators and not this.
  private var later: [(time: Int, action: Action)] = []
  private var next = 0

  func advance(by nanoseconds: Int) {
    let end = now.nanoseconds + nanoseconds
    while true {
      runDue()
      guard next < later.count, later[next].time <= end else { break }
      let (time, action) = later[next]
      next += 1
      if next == later.count {
        later.removeAll(keepingCapacity: true)
        next = 0
      }
      now.nanoseconds = max(now.nanoseconds, time)
      if !action.isCancelled { action.run() }
    }
    now.nanoseconds = end
  }

  private func runDue() {
    while !due.isEmpty {
      let actions = due
      due.removeAll(keepingCapacity: true)
      for action in actions { action.run() }
    }
  }

  func schedule(options: Never?, _ action: @escaping () -> Void) {
    due.append(Action(action))
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Span,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    _ = insert(Action(action), at: date.nanoseconds)
  }

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Span,
    tolerance: SchedulerTimeType.Span,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let first = Action(action)
    let token = AnyCancellable { first.cancel() }
    repeatAction(first, at: date.nanoseconds, every: interval.nanoseconds)
    return token
  }

  private func repeatAction(_ action: Action, at time: Int, every interval: Int) {
    _ = insert(
      Action { [self] in
        guard !action.isCancelled else { return }
        action.run()
        repeatAction(action, at: time + interval, every: interval)
      },
      at: time
    )
  }

  private func insert(_ action: Action, at time: Int) -> Action {
    var index = later.endIndex
    while index > next, later[index - 1].time > time { index -= 1 }
    later.insert((time, action), at: index)
    return action
  }
}
