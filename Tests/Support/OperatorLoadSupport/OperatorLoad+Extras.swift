import Combine
import CombineExtras
import Dispatch

extension OperatorLoad {

  private static let queue = DispatchQueue(label: "OperatorLoad, extras")
  private static let never = PassthroughSubject<Int, Never>()

  /// The operators of `CombineExtras`.
  static let extras: [OperatorLoad] =
    extraMapping + extraFiltering + extraGrouping + extraMixing + extraFailures + extraSharing + extraTiming
    + extraLife + extraScheduling + extraConcurrency

  // MARK: Elements

  private static let extraMapping: [OperatorLoad] = [
    OperatorLoad("enumerated", passesAll: true) { $0.enumerated().map(\.element) },
    OperatorLoad("mapToResult") { $0.mapToResult().map { $0.get() } },
    OperatorLoad("pairwise") { $0.pairwise().map(\.1) },
    OperatorLoad("exhaustMap", passesAll: true) { $0.exhaustMap { Just($0) } },
    OperatorLoad("concatMap") { $0.concatMap { Just($0) } },
    OperatorLoad("flatMapLatest", passesAll: true) { $0.flatMapLatest { Just($0) } },
    OperatorLoad("materialize") { $0.materialize().compactMap(\.value) },
    OperatorLoad("materialize, dematerialize", passesAll: true) { $0.materialize().dematerialize() },
  ]

  private static let extraFiltering: [OperatorLoad] = [
    OperatorLoad("distinct") { $0.prefix(20).distinct() },
    OperatorLoad("distinct(by:), a key") { $0.prefix(20).distinct { $0 % 10 } },
    OperatorLoad("distinct(by:)") { $0.prefix(20).distinct { $0 == $1 } },
    OperatorLoad("partition, matches") { $0.partition { $0.isMultiple(of: 2) }.matches },
    OperatorLoad("partition, the others") { $0.partition { $0.isMultiple(of: 2) }.nonMatches },
    OperatorLoad("prefix(while:behavior:)", passesAll: true) { $0.prefix(while: { $0 >= 0 }, behavior: .inclusive) },
    OperatorLoad("prefix(duration:)", passesAll: true) { $0.prefix(duration: .seconds(100), on: queue) },
    OperatorLoad("prefix(duration:), short") { $0.prefix(duration: .microseconds(50), on: queue) },
    OperatorLoad("suffix") { $0.prefix(20).suffix(3) },
    OperatorLoad("dropLast") { $0.dropLast(3) },
  ]

  // MARK: Groups and windows

  private static let extraGrouping: [OperatorLoad] = [
    OperatorLoad("groupBy", passesAll: true) { $0.groupBy { $0 % 4 }.flatMap { $0 } },
    OperatorLoad("groupBy, one group", passesAll: true) { $0.groupBy(maxGroups: 1) { $0 % 4 }.flatMap { $0 } },
    OperatorLoad("groupBy, closed groups") { $0.groupBy { $0 % 4 }.flatMap { $0.first() } },
    OperatorLoad("window(count)", passesAll: true) { $0.window(3).flatMap { $0 } },
    OperatorLoad("window(count), overlapping") { $0.window(3, every: 2).flatMap { $0 } },
    OperatorLoad("window(count), with gaps") { $0.window(2, every: 3).flatMap { $0 } },
    OperatorLoad("window(count), the latest") { $0.window(3).switchToLatest() },
    OperatorLoad("window(for:)") { $0.window(for: .microseconds(50), scheduler: queue).flatMap { $0 } },
    OperatorLoad("window(for:every:)") {
      $0.window(for: .microseconds(50), every: .microseconds(30), scheduler: queue).flatMap { $0 }
    },
    OperatorLoad("window(for:maxCount:)") {
      $0.window(for: .microseconds(50), maxCount: 3, scheduler: queue).flatMap { $0 }
    },
    OperatorLoad("collect(count, every:)") { $0.collect(3, every: 2).map(\.count) },
    OperatorLoad("collect(for:)") { $0.collect(for: .microseconds(50), scheduler: queue).map(\.count) },
    OperatorLoad("collect(for:every:)") {
      $0.collect(for: .microseconds(50), every: .microseconds(30), scheduler: queue).map(\.count)
    },
    OperatorLoad("collect(for:maxCount:)") {
      $0.collect(for: .microseconds(50), maxCount: 3, scheduler: queue).map(\.count)
    },
  ]

  // MARK: Several publishers

  private static let extraMixing: [OperatorLoad] = [
    OperatorLoad("amb", passesAll: true) { $0.amb(never) },
    OperatorLoad("amb, itself") { $0.amb($0) },
    OperatorLoad("amb of a collection") { [$0, $0, $0].amb() },
    OperatorLoad("withLatest") { $0.withLatest(of: $0) { $0 + $1 } },
    OperatorLoad("withLatest(of:)") { $0.withLatest(of: $0) },
    OperatorLoad("withLatest, upstream first") {
      ExtraPublishers.WithLatest(upstream: $0, other: $0, subscribesUpstreamFirst: true) { $0 + $1 }
    },
    OperatorLoad("combineLatest of a collection") { [$0, $0, $0].combineLatest().map { $0.reduce(0, +) } },
    OperatorLoad("zip of a collection") { [$0, $0, $0].zip().map { $0.reduce(0, +) } },
    OperatorLoad("merge of a collection") { [$0, $0, $0].merge() },
    OperatorLoad("ZipEach") {
      ExtraPublishers.ZipEach($0, $0.map { $0 }, $0, $0.map(Double.init), $0).map { $0.0 + $0.4 }
    },
    OperatorLoad("CombineLatestEach") {
      ExtraPublishers.CombineLatestEach($0, $0.map { $0 }, $0, $0.map(Double.init), $0).map { $0.0 + $0.4 }
    },
    OperatorLoad("MergeEach") { ExtraPublishers.MergeEach($0, $0.map { -$0 }, never) },
  ]

  // MARK: Failures

  private static let extraFailures: [OperatorLoad] = [
    OperatorLoad("ignoreFailure", passesAll: true) { $0.ignoreFailure() },
    OperatorLoad("retryWhen", passesAll: true) { $0.retryWhen { _ in never } },
    OperatorLoad("retryWhen, failures") { $0.tryMap(failAfterFive).retryWhen { $0.prefix(3) }.replaceError(with: 0) },
    OperatorLoad("retry with a policy", passesAll: true) {
      $0.retry(.constant(.seconds(1), maxRetries: 1), scheduler: queue)
    },
    OperatorLoad("retry with a policy, failures") {
      $0.tryMap(failAfterFive).retry(.constant(.microseconds(50), maxRetries: 3), scheduler: queue)
        .replaceError(with: 0)
    },
    OperatorLoad("catch a type", passesAll: true) { $0.catch(CancellationError.self) { _ in never } },
    OperatorLoad("catch a type, a failure") { subject in
      subject.tryMap(failAfterFive).catch(CancellationError.self) { _ in subject.setFailureType(to: (any Error).self) }
        .replaceError(with: 0)
    },
    OperatorLoad("fallback(to:)") { subject in subject.tryMap(failAfterFive).fallback(to: subject) },
  ]

  @Sendable private static func failAfterFive(_ value: Int) throws -> Int {
    if value % 8 > 5 { throw CancellationError() }
    return value
  }

  // MARK: Sharing

  private static let extraSharing: [OperatorLoad] = [
    OperatorLoad("share(replay:), while subscribed", passesAll: true) { $0.share(replay: 1, scope: .whileSubscribed) },
    OperatorLoad("share(replay:), forever", passesAll: true) { $0.share(replay: 1, scope: .forever) },
    OperatorLoad("referenceCounted", passesAll: true) { $0.multicast { PassthroughSubject() }.referenceCounted() },
    OperatorLoad("referenceCounted(disconnectingAfter:)", passesAll: true) {
      $0.multicast { PassthroughSubject() }
        .referenceCounted(disconnectingAfter: .microseconds(50), scheduler: queue)
    },
    OperatorLoad("ReplaySubject", passesAll: true) {
      feeding(ReplaySubject(replaying: 1), from: $0) { $0.subscribe($1) }
    },
    OperatorLoad("ReplaySubject(notOlderThan:)", passesAll: true) {
      feeding(ReplaySubject(notOlderThan: .milliseconds(1), scheduler: queue), from: $0) { $0.subscribe($1) }
    },
    OperatorLoad("PassthroughRelay", passesAll: true) { feeding(PassthroughRelay(), from: $0) { $0.subscribe($1) } },
    OperatorLoad("CurrentValueRelay") { feeding(CurrentValueRelay(-1), from: $0) { $0.subscribe($1) } },
  ]

  /// Makes a subject for each subscriber, which the upstream feeds as long as there is the subscription.
  private static func feeding<Subject: Publisher<Int, Never>>(
    _ subject: @autoclosure @escaping () -> Subject,
    from upstream: LoadedSubject,
    _ feed: @escaping (LoadedSubject, Subject) -> AnyCancellable
  ) -> some Publisher<Int, Never> & SendableMetatype {
    Using {
      let subject = subject()
      return (subject: subject, feed: feed(upstream, subject))
    } publisher: {
      $0.subject
    } release: {
      $0.feed.cancel()
    }
    .eraseToAnyPublisher()
  }

  // MARK: Time

  private static let extraTiming: [OperatorLoad] = [
    OperatorLoad("sample(by:)") { $0.sample(by: $0) },
    OperatorLoad("sample(by:), a timer") {
      $0.sample(by: queue.timerPublisher(every: .microseconds(50)).autoconnect())
    },
    OperatorLoad("rateLimit") { $0.rateLimit(1000, per: .microseconds(50), scheduler: queue) },
    OperatorLoad("throttle(until:)") { subject in subject.throttle(latest: true) { _ in subject.prefix(2) } },
    OperatorLoad("timeout(first:next:)", passesAll: true) {
      $0.timeout(first: .seconds(100), next: .seconds(100), scheduler: queue)
    },
    OperatorLoad("timeout(first:next:), short") {
      $0.timeout(first: .microseconds(50), next: .microseconds(1), scheduler: queue)
    },
    OperatorLoad("timeout(first:next:fallback:)") {
      $0.timeout(first: .microseconds(50), next: .microseconds(1), scheduler: queue, fallback: never)
    },
    OperatorLoad("delaySubscription", subscribesLater: true) {
      $0.delaySubscription(for: .microseconds(1), scheduler: queue)
    },
    OperatorLoad("timerPublisher") {
      $0.merge(with: queue.timerPublisher(every: .microseconds(50)).autoconnect().map { _ in -1 })
    },
  ]

  // MARK: Lifetime

  private static let extraLife: [OperatorLoad] = [
    OperatorLoad("finally", passesAll: true) { $0.finally {} },
    OperatorLoad("Using", passesAll: true) { subject in Using({}, publisher: { subject }, release: {}) },
    OperatorLoad("repeat", passesAll: true) { $0.repeat(1) },
    OperatorLoad("repeat, three times") { $0.prefix(2).repeat(3) },
    OperatorLoad("create", passesAll: true) { subject in
      AnyPublisher { subscriber in subject.sink { subscriber.send($0) } }
    },
    OperatorLoad("assign(to:on:ownership:), strong", passesAll: true) { assigned($0, .strong) },
    OperatorLoad("assign(to:on:ownership:), weak", passesAll: true) { assigned($0, .weak) },
  ]

  /// An object whose property is assigned to.
  private final class Target {

    var value = -1 {
      didSet { subscriber.send(value) }
    }

    private let subscriber: ExtraPublishers.Create<Int, Never>.Subscriber

    init(_ subscriber: ExtraPublishers.Create<Int, Never>.Subscriber) {
      self.subscriber = subscriber
    }
  }

  private static func assigned(_ subject: LoadedSubject, _ ownership: ObjectOwnership) -> AnyPublisher<Int, Never> {
    AnyPublisher { subscriber in
      let target = Target(subscriber)
      let assignment = subject.assign(to: \.value, on: target, ownership: ownership)
      // A send on another thread may assign while this closure runs, so the target must live longer.
      return AnyCancellable { withExtendedLifetime(target) { assignment.cancel() } }
    }
  }

  // MARK: Schedulers

  // `UIScheduler` is missing: nothing serves the main queue here.
  private static let extraScheduling: [OperatorLoad] = [
    OperatorLoad("AnyScheduler") { $0.receive(on: queue.eraseToAnyScheduler()) },
    OperatorLoad("AnyScheduler, immediate", passesAll: true) { $0.receive(on: DispatchQueue.immediate) },
    OperatorLoad("TrampolineScheduler", passesAll: true) { $0.receive(on: TrampolineScheduler.shared) },
    OperatorLoad("receive(on: actor)", startsTasks: true) { $0.receive(on: Loaded.shared) },
    OperatorLoad("sink(on: actor)", startsTasks: true) { subject in
      AnyPublisher { subscriber in subject.sink(on: Loaded.shared) { _, value in subscriber.send(value) } }
    },
    OperatorLoad("sink(on: actor), with the completion", startsTasks: true) { subject in
      AnyPublisher { subscriber in
        subject.prefix(20).sink(on: Loaded.shared) { _, completion in
          subscriber.send(completion: completion)
        } receiveValue: { _, value in
          subscriber.send(value)
        }
      }
    },
  ]

  /// An actor that runs on the queue, so that `drain` gives its work time.
  private actor Loaded {

    static let shared = Loaded()

    private let executor = QueueExecutor(queue)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  }

  private final class QueueExecutor: SerialExecutor {

    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
      self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  // MARK: Concurrency

  private static let extraConcurrency: [OperatorLoad] = [
    OperatorLoad("asyncMap") { $0.asyncMap { $0 } },
    OperatorLoad("asyncMap, four at a time") { $0.asyncMap(maxConcurrent: 4, pass) },
    OperatorLoad("asyncMap, in any order") { $0.asyncMap(maxConcurrent: 4, preservingOrder: false, pass) },
    OperatorLoad("asyncMapLatest") { $0.asyncMapLatest { $0 } },
    OperatorLoad("tryAsyncMapLatest") { $0.tryAsyncMapLatest { $0 }.assertNoFailure() },
    OperatorLoad("tryAsyncMap") { $0.tryAsyncMap { $0 }.assertNoFailure() },
    OperatorLoad("tryAsyncMap, four at a time") { $0.tryAsyncMap(maxConcurrent: 4, pass).assertNoFailure() },
    OperatorLoad("tryAsyncMap, in any order") {
      $0.tryAsyncMap(maxConcurrent: 4, preservingOrder: false, pass).assertNoFailure()
    },
    OperatorLoad("tryAsyncMap, errors") {
      $0.tryAsyncMap(maxConcurrent: 4) { try failAfterFive($0) }.replaceError(with: 0)
    },
    OperatorLoad("DeferredTask") { $0.flatMapLatest { value in DeferredTask { await pass(value) } } },
    OperatorLoad("DeferredTask, four at a time") {
      $0.flatMap(maxPublishers: .max(4)) { value in DeferredTask { await pass(value) } }
    },
    OperatorLoad("Future of an operation") {
      $0.flatMap(maxPublishers: .max(4)) { value in Future<Int, Never> { await pass(value) } }
    },
    OperatorLoad("Future of a task") {
      $0.flatMap(maxPublishers: .max(4)) { value in Future(Task { await pass(value) }) }
    },
    OperatorLoad("AsyncSequence.publisher", startsTasks: true) { $0.values.publisher },
    OperatorLoad("sink, async") { subject in
      AnyPublisher { subscriber in subject.sink { value in await subscriber.send(pass(value)) } }
    },
    OperatorLoad("sink, async, with the completion") { subject in
      AnyPublisher { subscriber in
        subject.prefix(20).sink { completion in
          await Task.yield()
          subscriber.send(completion: completion)
        } receiveValue: { value in
          await subscriber.send(pass(value))
        }
      }
    },
  ]

  /// Returns a value after other tasks had a turn.
  @Sendable private static func pass(_ value: Int) async -> Int {
    await Task.yield()
    return value
  }

  /// Waits until the queue of these operators has run all its actions.
  static func drainExtras() { queue.sync {} }
}
