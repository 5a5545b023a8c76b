// One program for each promise of Documentation/Specification/Threads.md, whose rows name them: `Cases NAME` prints what it
// measured and exits 0 if the promise holds, 1 if it does not. `Cases` lists the names. A hang is the caller's to notice.
import Combine
import Foundation

// MARK: Helpers

func residentMB() -> Double {
  let fields = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
  return Double(fields[1])! * 4096 / 1e6
}

func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

func processorSeconds() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Value
  init(_ value: Value) { stored = value }
  var value: Value {
    get { lock.lock(); defer { lock.unlock() }; return stored }
    set { lock.lock(); stored = newValue; lock.unlock() }
  }
  func change<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock(); defer { lock.unlock() }
    return body(&stored)
  }
}

func inBackground(_ body: @escaping () -> Void) {
  struct Unchecked: @unchecked Sendable { let body: () -> Void }
  let unchecked = Unchecked(body: body)
  Thread.detachNewThread { unchecked.body() }
}

/// Runs `body` for 0..<count, each on a thread of its own, and waits for all.
func onThreads(_ count: Int, _ body: @escaping (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    group.enter()
    inBackground {
      body(index); group.leave()
    }
  }
  group.wait()
}

func waitForAsync<Value>(_ limit: Double, _ body: @escaping () async -> Value) -> Value? {
  nonisolated(unsafe) let body = body
  let result = Guarded<Value?>(nil), done = DispatchSemaphore(value: 0)
  Task.detached {
    nonisolated(unsafe) let value = await body()
    result.change { $0 = value }
    done.signal()
  }
  return done.wait(timeout: .now() + limit) == .success ? result.value : nil
}

final class Model: ObservableObject {
  @Published var a = 0
  @Published var b = 0
  @Published var items: [Int] = []
}

struct Oops: Error {}

/// Runs everything at once; its time is the main queue's.
struct AtOnce: Scheduler {
  typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  typealias SchedulerOptions = Never
  var now: SchedulerTimeType { DispatchQueue.main.now }
  var minimumTolerance: SchedulerTimeType.Stride { .zero }
  func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
  func schedule(
    after: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) {
    action()
  }
  func schedule(
    after: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: Never?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    action()
    return AnyCancellable {}
  }
}

func check(_ holds: Bool, _ measured: String) -> Never {
  print(measured)
  exit(holds ? 0 : 1)
}

// MARK: Cases

let cases: [(name: String, run: () -> Void)] = [
  (
    "a-waiting-send-gets-in",
    {
      let subject = PassthroughSubject<Int, Never>()
      let sink = subject.sink { _ in usleep(1000) }
      inBackground { while true { subject.send(1) } }
      usleep(50_000)
      var longest = 0.0
      for _ in 0..<200 {
        let start = seconds()
        subject.send(2)
        longest = max(longest, seconds() - start)
        if longest > 5 { break }
        usleep(500)
      }
      withExtendedLifetime(sink) { check(longest < 0.05, "longest wait of 200: \(Int(longest * 1e3)) ms") }
    }
  ),
  (
    "waiting-costs-no-processor-time",
    {
      let subject = PassthroughSubject<Int, Never>()
      let sink = subject.sink { if $0 == 0 { sleep(2) } }
      inBackground { subject.send(0) }
      usleep(100_000)
      let before = processorSeconds()
      onThreads(8) { subject.send($0 + 1) }
      let spent = processorSeconds() - before
      withExtendedLifetime(sink) {
        check(spent < 0.05, "eight threads waited 2 s: \(Int(spent * 1e3)) ms of processor time")
      }
    }
  ),
  (
    "removed-subscribers-are-released-under-load",
    {
      let subject = PassthroughSubject<Int, Never>()
      let slow = subject.sink { _ in usleep(100) }
      for _ in 0..<2 { inBackground { while true { subject.send(1) } } }
      let before = residentMB(), start = seconds()
      var count = 0
      while seconds() - start < 5 {
        let captured = [UInt8](repeating: 1, count: 10_000)
        subject.map { _ in captured.count }.sink { _ in }.cancel()
        count += 1
      }
      let grown = residentMB() - before
      withExtendedLifetime(slow) { check(grown < 4, "\(count) subscriptions, grown by \(Int(grown)) MB") }
    }
  ),
  (
    "receive-on-does-not-deadlock",
    {
      for round in 0..<3000 {
        let subject = CurrentValueSubject<Int, Never>(0), group = DispatchGroup(), kept = Guarded<AnyCancellable?>(nil)
        group.enter(); group.enter()
        inBackground {
          kept.value = subject.receive(on: ImmediateScheduler.shared).map { $0 }.sink { _ in }; group.leave()
        }
        inBackground {
          for value in 0..<20 { subject.send(value) }; group.leave()
        }
        if group.wait(timeout: .now() + 10) == .timedOut { check(false, "deadlock in round \(round)") }
      }
      check(true, "3000 rounds")
    }
  ),
  (
    "delay-does-not-deadlock",
    {
      for round in 0..<3000 {
        let subject = CurrentValueSubject<Int, Never>(0), group = DispatchGroup(), kept = Guarded<AnyCancellable?>(nil)
        group.enter(); group.enter()
        inBackground {
          kept.value = subject.delay(for: 0, scheduler: AtOnce()).map { $0 }.sink { _ in }; group.leave()
        }
        inBackground {
          for value in 0..<20 { subject.send(value) }; group.leave()
        }
        if group.wait(timeout: .now() + 10) == .timedOut { check(false, "deadlock in round \(round)") }
      }
      check(true, "3000 rounds")
    }
  ),
  (
    "a-current-value-subject-loses-nothing",
    {
      let subject = CurrentValueSubject<Int, Never>(0), count = Guarded(0)
      let sink = subject.sink { _ in
        count.change { $0 += 1 }; usleep(1000)
      }
      onThreads(100) { _ in subject.send(1) }
      let fast = CurrentValueSubject<Int, Never>(0), fastCount = Guarded(0)
      let fastSink = fast.sink { _ in fastCount.change { $0 += 1 } }
      onThreads(4) { _ in for value in 0..<2500 { fast.send(value) } }
      withExtendedLifetime((sink, fastSink)) {
        check(count.value == 101 && fastCount.value == 10_001, "\(count.value) of 101, \(fastCount.value) of 10001")
      }
    }
  ),
  (
    "a-current-value-subject-ends-with-its-value",
    {
      var wrong = 0
      for _ in 0..<20_000 {
        let subject = CurrentValueSubject<Int, Never>(0), last = Guarded(-1)
        let sink = subject.sink { last.value = $0 }
        DispatchQueue.concurrentPerform(iterations: 2) { subject.send($0 + 1) }
        if last.value != subject.value { wrong += 1 }
        sink.cancel()
      }
      check(wrong == 0, "stale in \(wrong) of 20000")
    }
  ),
  (
    "a-published-property-ends-with-its-value",
    {
      var wrong = 0
      for _ in 0..<20_000 {
        nonisolated(unsafe) let model = Model()
        let last = Guarded(-1)
        let sink = model.$a.sink { last.value = $0 }
        DispatchQueue.concurrentPerform(iterations: 2) { model.a = $0 + 1 }
        if last.value != model.a { wrong += 1 }
        sink.cancel()
      }
      check(wrong == 0, "stale in \(wrong) of 20000")
    }
  ),
  (
    "combine-latest-ends-with-the-latest",
    {
      var wrong = 0
      for _ in 0..<20_000 {
        let a = CurrentValueSubject<Int, Never>(0), b = CurrentValueSubject<Int, Never>(0), last = Guarded((0, 0))
        let sink = a.combineLatest(b).sink { last.value = $0 }
        DispatchQueue.concurrentPerform(iterations: 2) { if $0 == 0 { a.send(1) } else { b.send(1) } }
        if last.value != (1, 1) { wrong += 1 }
        sink.cancel()
      }
      check(wrong == 0, "the last combination is missing in \(wrong) of 20000")
    }
  ),
  (
    "object-will-change-as-an-async-sequence",
    {
      nonisolated(unsafe) let model = Model()
      let count = Guarded(0)
      let seen = waitForAsync(5) {
        Task.detached {
          try? await Task.sleep(nanoseconds: 100_000_000)
          for value in 1...20 { model.a = value; model.b = value }
          try? await Task.sleep(nanoseconds: 200_000_000)
          model.a = 0
        }
        for await _ in model.objectWillChange.map({ 1 }).values {
          try? await Task.sleep(nanoseconds: 50_000_000)
          if count.change({
            $0 += 1; return $0
          }) == 2 {
            break
          }
        }
        return true
      }
      check(seen == true, "signals seen: \(count.value)")
    }
  ),
  (
    "collect-by-time-as-an-async-sequence",
    {
      let subject = PassthroughSubject<Int, Never>(), queue = DispatchQueue(label: "q")
      inBackground {
        usleep(100_000); subject.send(1); usleep(150_000); subject.send(2); subject.send(3)
        subject.send(completion: .finished)
      }
      let groups = waitForAsync(5) {
        var groups: [[Int]] = []
        for await group in subject.collect(.byTime(queue, .milliseconds(100))).values {
          groups.append(group)
          try? await Task.sleep(nanoseconds: 300_000_000)
        }
        return groups
      }
      check(groups == [[1], [2, 3]], "\(groups ?? [])")
    }
  ),
  (
    "collect-by-time-in-front-of-replace-error",
    {
      let subject = PassthroughSubject<Int, Oops>(), queue = DispatchQueue(label: "q"),
        never = PassthroughSubject<Int, Never>()
      let sink = subject.collect(.byTimeOrCount(queue, .milliseconds(100), 3)).replaceError(with: [])
        .flatMap(maxPublishers: .max(1)) { _ in never }.sink { _ in }
      subject.send(1); subject.send(2); usleep(250_000); subject.send(3); usleep(250_000)
      withExtendedLifetime(sink) { check(true, "alive") }
    }
  ),
  (
    "a-cancel-inside-catch-reaches-what-is-returned",
    {
      let ticks = Guarded(0), subject = PassthroughSubject<Int, Oops>(), queue = DispatchQueue(label: "q")
      let kept = Guarded<AnyCancellable?>(nil)
      kept.value = subject.catch { _ -> AnyPublisher<Int, Never> in
        kept.value?.cancel()
        return Just(1).append(PassthroughSubject<Int, Never>()).handleEvents(
          receiveSubscription: { _ in ticks.change { $0 += 1 } },
          receiveCancel: { ticks.change { $0 -= 1 } }
        )
        .receive(on: queue).eraseToAnyPublisher()
      }.sink { _ in }
      subject.send(completion: .failure(Oops()))
      usleep(200_000)
      check(ticks.value == 0, "subscriptions left alive: \(ticks.value)")
    }
  ),
  (
    "finished-assignments-leave-nothing",
    {
      let model = Model()
      func assign(_ index: Int) {
        let captured = [Int](repeating: index, count: 500)
        Just(1).delay(for: 0, scheduler: AtOnce()).map { _ in captured }.assign(to: &model.$items)
      }
      // The first pipelines of a process pay for code and types, whoever wrote the library.
      for index in 0..<100 { assign(index) }
      let before = residentMB()
      for index in 0..<20_000 { assign(index) }
      let grown = residentMB() - before
      check(grown < 1, "grown by \(Int(grown)) MB")
    }
  ),
  (
    "a-cancelled-delay-leaves-nothing",
    {
      // What fifty thousand timers of the queue itself take comes first: they cannot be taken back.
      final class Object { var count = 0 }
      let queue = DispatchQueue(label: "q"), start = residentMB()
      for _ in 0..<50_000 {
        nonisolated(unsafe) let object = Object()
        queue.asyncAfter(deadline: .now() + 60) { object.count += 1 }
      }
      let before = residentMB(), subject = PassthroughSubject<Int, Never>()
      for index in 0..<50_000 {
        let captured = [Int](repeating: index, count: 100)
        let sink = subject.delay(for: .seconds(60), scheduler: queue).map { _ in captured }.sink { _ in }
        subject.send(index)
        sink.cancel()
      }
      let grown = residentMB() - before, own = before - start
      check(grown - own < 8, "grown by \(Int(grown)) MB, where the queue's timers alone take \(Int(own)) MB")
    }
  ),

  // MARK: One answer for each question

  (
    "a-cancel-before-subscribe-on-counts",
    {
      let queue = DispatchQueue(label: "q"), subject = PassthroughSubject<Int, Never>()
      let live = Guarded(0), received = Guarded(0)
      queue.suspend()
      let cancellable =
        subject
        .handleEvents(receiveSubscription: { _ in live.change { $0 += 1 } }, receiveCancel: { live.change { $0 -= 1 } })
        .subscribe(on: queue)
        .sink { _ in received.change { $0 += 1 } }
      cancellable.cancel()
      queue.resume()
      queue.sync {}; queue.sync {}
      subject.send(1)
      check(
        live.value == 0 && received.value == 0,
        "subscriptions left alive: \(live.value), values after the cancel: \(received.value)"
      )
    }
  ),
  (
    "collect-by-time-loses-nothing",
    {
      let queue = DispatchQueue(label: "q"), subject = PassthroughSubject<Int, Never>(), count = Guarded(0)
      let done = DispatchSemaphore(value: 0)
      let cancellable = subject.collect(.byTime(queue, .milliseconds(1)))
        .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { array in count.change { $0 += array.count } })
      onThreads(2) { _ in for value in 0..<50_000 { subject.send(value) } }
      subject.send(completion: .finished)
      _ = done.wait(timeout: .now() + 5)
      withExtendedLifetime(cancellable) { check(count.value == 100_000, "\(count.value) of 100000") }
    }
  ),
  (
    "collect-by-time-or-count-keeps-the-order",
    {
      let queue = DispatchQueue(label: "q"), subject = PassthroughSubject<Int, Never>(), arrays = Guarded([[Int]]())
      let cancellable = subject.collect(.byTimeOrCount(queue, .milliseconds(10), 2)).sink { array in
        arrays.change { $0.append(array) }
      }
      queue.async { usleep(50_000) }  // The tick of 10 ms waits behind this.
      usleep(20_000)
      for value in 1...3 { subject.send(value) }
      usleep(120_000)
      queue.sync {}
      withExtendedLifetime(cancellable) { check(arrays.value == [[1, 2], [3]], "\(arrays.value)") }
    }
  ),
  (
    "a-slow-delivery-keeps-no-cancelled-subscriber",
    {
      nonisolated(unsafe) let model = Model()
      let slow = model.objectWillChange.sink { sleep(2) }
      inBackground { model.a = 1 }
      usleep(200_000)
      for _ in 0..<100 { model.objectWillChange.map { 0 }.sink { _ in }.cancel() }
      let before = residentMB()
      for _ in 0..<5000 {
        let big = [UInt8](repeating: 1, count: 10_000)
        model.objectWillChange.map { big.count }.sink { _ in }.cancel()
      }
      let grown = residentMB() - before
      withExtendedLifetime(slow) { check(grown < 4, "grown by \(Int(grown)) MB during one delivery") }
    }
  ),
  (
    "a-second-subscription-holds-nothing-back",
    {
      // A publisher that subscribes its subscriber twice, and completes on another thread.
      struct Twice: Publisher {
        typealias Output = Int
        typealias Failure = Never
        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
          subscriber.receive(subscription: Subscriptions.empty)
          subscriber.receive(subscription: Subscriptions.empty)
          nonisolated(unsafe) let subscriber = subscriber
          inBackground { subscriber.receive(completion: .finished) }
        }
      }
      let queue = DispatchQueue(label: "q"), never = PassthroughSubject<Int, Never>()
      let publishers: [(String, AnyPublisher<Int, Never>)] = [
        ("receive(on:)", Twice().receive(on: queue).eraseToAnyPublisher()),
        ("delay", Twice().delay(for: 0, scheduler: queue).eraseToAnyPublisher()),
        ("debounce", Twice().debounce(for: 0, scheduler: queue).eraseToAnyPublisher()),
        ("throttle", Twice().throttle(for: 0, scheduler: queue, latest: true).eraseToAnyPublisher()),
        ("timeout", Twice().timeout(.seconds(60), scheduler: queue).eraseToAnyPublisher()),
        ("collect by time", Twice().collect(.byTime(queue, .seconds(60))).map(\.count).eraseToAnyPublisher()),
        ("buffer", Twice().buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher()),
        ("subscribe(on:)", Twice().subscribe(on: queue).eraseToAnyPublisher()),
        ("merge", Twice().merge(with: Twice()).eraseToAnyPublisher()),
        ("zip", Twice().zip(Twice()) { $0 + $1 }.eraseToAnyPublisher()),
        ("combineLatest", Twice().combineLatest(Twice()) { $0 + $1 }.eraseToAnyPublisher()),
        ("prefix(untilOutputFrom:)", Twice().prefix(untilOutputFrom: never).eraseToAnyPublisher()),
        ("share", Twice().share().eraseToAnyPublisher()),
      ]
      var silent: [String] = [], kept: [AnyCancellable] = []
      for (name, publisher) in publishers {
        let done = DispatchSemaphore(value: 0)
        kept.append(publisher.sink(receiveCompletion: { _ in done.signal() }, receiveValue: { _ in }))
        if done.wait(timeout: .now() + 1) != .success { silent.append(name) }
      }
      check(silent.isEmpty, silent.isEmpty ? "all complete" : "no completion: \(silent.joined(separator: ", "))")
    }
  ),
  (
    "a-shared-upstream-runs-once",
    {
      var runs = 0
      let shared = Deferred { () -> Just<Int> in
        runs += 1; return Just(42)
      }.share()
      let first = shared.prefix(1).sink { _ in }
      let second = shared.sink { _ in }
      withExtendedLifetime((first, second)) { check(runs == 1, "the upstream ran \(runs) times") }
    }
  ),
  (
    "demand-is-decided-when-a-current-value-is-sent",
    {
      final class Held: Subscriber, @unchecked Sendable {
        typealias Input = Int
        typealias Failure = Never
        let inside = DispatchSemaphore(value: 0), go = DispatchSemaphore(value: 0), values = Guarded([Int]())
        func receive(subscription: any Subscription) { subscription.request(.max(10)) }
        func receive(_ input: Int) -> Subscribers.Demand {
          values.change { $0.append(input) }
          guard input == 1 else { return .none }
          inside.signal(); go.wait()
          return .max(5)
        }
        func receive(completion: Subscribers.Completion<Never>) {}
      }
      let subject = CurrentValueSubject<Int, Never>(-1), held = Held(), done = DispatchGroup()
      subject.subscribe(held)
      done.enter();
      inBackground {
        subject.send(1); done.leave()
      }
      held.inside.wait()
      for value in 2...100 {
        done.enter();
        inBackground {
          subject.send(value); done.leave()
        }
      }
      usleep(500_000)
      held.go.signal(); done.wait()
      check(
        held.values.value.count == 10,
        "\(held.values.value.count) values for a demand of 10 that was raised afterwards"
      )
    }
  ),
  (
    "a-concurrent-queue-loses-and-reorders-nothing",
    {
      let queue = DispatchQueue.global(), count = Guarded(0), ends = DispatchGroup()
      var kept: [AnyCancellable] = []
      for _ in 0..<20_000 {
        ends.enter()
        kept.append(
          Future<Int, Never> { promise in
            queue.async { promise(.success(1)) }
          }
          .receive(on: queue)
          .sink(receiveCompletion: { _ in ends.leave() }, receiveValue: { _ in count.change { $0 += 1 } })
        )
      }
      ends.wait()
      let subject = PassthroughSubject<Int, Never>(), values = Guarded([Int]()), end = DispatchSemaphore(value: 0)
      let cancellable = subject.receive(on: queue)
        .sink(receiveCompletion: { _ in end.signal() }, receiveValue: { value in values.change { $0.append(value) } })
      for value in 0..<20_000 { subject.send(value) }
      subject.send(completion: .finished)
      _ = end.wait(timeout: .now() + 10)
      let inOrder = values.value == Array(0..<20_000)
      withExtendedLifetime((kept, cancellable)) {
        check(
          count.value == 20_000 && inOrder,
          "\(count.value) of 20000 futures; \(values.value.count) of 20000 values, \(inOrder ? "in order" : "out of order")"
        )
      }
    }
  ),
  (
    "a-repeated-operation-does-not-drift",
    {
      let queue = OperationQueue(), ticks = Guarded(0)
      queue.maxConcurrentOperationCount = 1
      let timer = queue.schedule(after: queue.now, interval: .milliseconds(10)) {
        ticks.change { $0 += 1 }; usleep(3000)
      }
      sleep(2)
      timer.cancel()
      check(ticks.value >= 190, "\(ticks.value) of 200 ticks")
    }
  ),

  // MARK: A subject sends one value at a time

  (
    "a-missed-published-value-comes-with-the-next-request",
    {
      final class Limited: Subscriber, @unchecked Sendable {
        typealias Input = Int
        typealias Failure = Never
        let values = Guarded([Int]()), atOne: (Limited) -> Void
        nonisolated(unsafe) var subscription: (any Subscription)?
        init(atOne: @escaping (Limited) -> Void) { self.atOne = atOne }
        func receive(subscription: any Subscription) { self.subscription = subscription; subscription.request(.max(2)) }
        func receive(_ input: Int) -> Subscribers.Demand {
          values.change { $0.append(input) }
          if input == 1 { atOne(self) }
          return .none
        }
        func receive(completion: Subscribers.Completion<Never>) {}
      }
      let model = Model(), written = DispatchGroup()
      let limited = Limited { limited in
        written.enter();
        inBackground {
          model.a = 2; written.leave()
        }  // No demand is left for it here.
        usleep(50_000)
        limited.subscription!.request(.max(1))
      }
      model.$a.subscribe(limited)
      let slow = model.$a.sink { if $0 == 2 { usleep(100_000) } }
      model.a = 1
      written.wait()
      limited.subscription!.request(.max(1))
      let values = limited.values.value
      withExtendedLifetime(slow) { check(values == [0, 1, 2], "received \(values), the property is \(model.a)") }
    }
  ),
  (
    "a-new-subscriber-waits-for-no-other",
    {
      let subject = CurrentValueSubject<Int, Never>(0), inside = DispatchSemaphore(value: 0)
      let slow = subject.sink { if $0 == 1 { inside.signal(); usleep(500_000) } }
      inBackground { subject.send(1) }
      inside.wait()
      let start = seconds(), first = Guarded(-1)
      let cancellable = subject.sink { value in first.change { if $0 < 0 { $0 = value } } }
      let took = Int((seconds() - start) * 1000), value = first.value
      withExtendedLifetime((slow, cancellable)) {
        check(took < 100 && value == 1, "subscribed in \(took) ms beside a slow delivery, first value \(value)")
      }
    }
  ),
  (
    "subscribing-inside-a-sink-meets-no-deadlock",
    {
      let first = PassthroughSubject<Int, Never>(), second = CurrentValueSubject<Int, Never>(0), count = Guarded(0)
      let cancellable = first.sink { value in
        guard value == 0 else { return }
        second.sink { if $0 > 0 { first.send($0) } }.cancel()
        count.change { $0 += 1 }
      }
      inBackground { while true { second.send(1) } }
      inBackground { while true { first.send(0) } }
      var last = -1, stood = 0
      for _ in 0..<50 {
        usleep(100_000)
        stood = count.value == last ? stood + 1 : 0
        last = count.value
        if stood == 15 { break }
      }
      withExtendedLifetime(cancellable) {
        check(stood < 15, "\(last) subscriptions, \(stood < 15 ? "no deadlock" : "then a deadlock")")
      }
    }
  ),
  (
    "a-long-send-keeps-nothing-that-was-removed",
    {
      let subject = PassthroughSubject<Int, Never>(), start = residentMB()
      let cancellable = subject.sink { _ in
        for _ in 0..<300_000 { subject.sink { _ in }.cancel() }
      }
      subject.send(1)
      let growth = residentMB() - start
      withExtendedLifetime(cancellable) {
        check(growth < 6, String(format: "%.1f MB more after 300,000 subscriptions inside one send", growth))
      }
    }
  ),

  // MARK: Schedulers that drop actions

  (
    "a-dropped-action-drops-its-own-event",
    {
      func received(_ body: (PassthroughSubject<Int, Never>, OperationQueue) -> Void) -> [String] {
        let queue = OperationQueue(), subject = PassthroughSubject<Int, Never>(), events = Guarded([String]())
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let cancellable = subject.receive(on: queue).sink(
          receiveCompletion: { _ in events.change { $0.append("end") } },
          receiveValue: { value in
            events.change { $0.append("\(value)") }; if value % 100 == 0 { usleep(20_000) }
          }
        )
        body(subject, queue)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        usleep(100_000)
        return withExtendedLifetime(cancellable) { events.value }
      }
      let one = received { subject, queue in
        for value in 1...3 { subject.send(value) }
        subject.send(completion: .finished)
        queue.operations[0].cancel()
      }
      let all = received { subject, queue in
        for value in 1...3 { subject.send(value) }
        queue.cancelAllOperations()
        for value in 4...5 { subject.send(value) }
        subject.send(completion: .finished)
      }
      let running = received { subject, queue in
        queue.isSuspended = false
        for value in 100...105 { subject.send(value) }
        usleep(5_000)
        queue.cancelAllOperations()
        for value in 201...204 { subject.send(value) }
        subject.send(completion: .finished)
      }
      let holds =
        one == ["2", "3", "end"] && all == ["4", "5", "end"] && running == ["100", "201", "202", "203", "204", "end"]
      check(holds, "\(one) \(all) \(running)")
    }
  ),
  (
    "debounce-goes-on-after-its-timer-was-dropped",
    {
      let queue = OperationQueue(), subject = PassthroughSubject<Int, Never>(), values = Guarded([Int]())
      queue.maxConcurrentOperationCount = 1
      let cancellable = subject.debounce(for: .milliseconds(20), scheduler: queue).sink { value in
        values.change { $0.append(value) }
      }
      subject.send(1)
      queue.cancelAllOperations()
      for value in 2...3 { usleep(200_000); subject.send(value) }
      usleep(200_000)
      withExtendedLifetime(cancellable) { check(values.value == [2, 3], "received \(values.value)") }
    }
  ),
  (
    "a-trigger-waits-for-no-value",
    {
      let queue = DispatchQueue(label: "state"), work = PassthroughSubject<Int, Never>(),
        stop = PassthroughSubject<Void, Never>()
      let inSink = DispatchSemaphore(value: 0), onQueue = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0)
      let cancellable = work.prefix(untilOutputFrom: stop).sink(
        receiveCompletion: { _ in },
        receiveValue: { _ in
          inSink.signal(); onQueue.wait(); queue.sync {}
        }
      )
      inBackground {
        work.send(1); end.signal()
      }
      queue.async {
        inSink.wait(); onQueue.signal(); usleep(50_000); stop.send()
      }
      let isOver = end.wait(timeout: .now() + 3) == .success
      withExtendedLifetime(cancellable) { check(isOver, isOver ? "ended" : "deadlock") }
    }
  ),
]

let names = CommandLine.arguments.dropFirst()
if names.isEmpty { for item in cases { print(item.name) } }
for name in names { cases.first { $0.name == name }?.run() }
