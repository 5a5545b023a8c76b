import CombineExtras

/// A coder that encodes a value as itself.
private struct PlainCoder: TopLevelEncoder, TopLevelDecoder {
  let poison = Poison()
  func encode<T: Encodable>(_ value: T) throws -> PoisonedValue { PoisonedValue(0) }
  func decode<T: Decodable>(_ type: T.Type, from value: PoisonedValue) throws -> T {
    if value.number == 9 { throw PoisonedError() }
    return value.number as! T
  }
}

/// A stream that is code of a user.
private struct PoisonedStream: TextOutputStream {
  let poison = Poison()
  mutating func write(_ string: String) { Intrusion.reach(.description) }
}

extension PoisonedOperator {

  static let all: [PoisonedOperator] =
    mapping + filtering + reducing + slicing + mixing + failures + timing + sharing + sources + grouping + others

  private static let mapping: [PoisonedOperator] = [
    PoisonedOperator("map") { $0.source.map(poisoned { $0 }) },
    PoisonedOperator("tryMap") { $0.source.tryMap(poisonedTry { $0 }) },
    PoisonedOperator("map(keyPath)") { $0.source.map(\.property) },
    PoisonedOperator("map(keyPaths)") { $0.source.map(\.property, \.number, \.property) },
    PoisonedOperator("mapError") { $0.source.mapError(poisoned { $0 }) },
    PoisonedOperator("setFailureType") {
      $0.source.replaceError(with: PoisonedValue(0)).setFailureType(to: PoisonedError.self)
    },
    PoisonedOperator("replaceNil") { $0.source.map { Optional($0) }.replaceNil(with: PoisonedValue(0)) },
    PoisonedOperator("scan") { $0.source.scan(PoisonedValue(0), poisoned { $1 }) },
    PoisonedOperator("tryScan") { $0.source.tryScan(PoisonedValue(0), poisonedTry { $1 }) },
    PoisonedOperator("flatMap") { scene in scene.source.flatMap(poisoned { _ in scene.other.prefix(2) }) },
    PoisonedOperator("flatMap, one at a time") { scene in
      scene.source.flatMap(
        maxPublishers: .max(1),
        poisoned { [$0, $0].publisher.setFailureType(to: PoisonedError.self) }
      )
    },
    PoisonedOperator("encode") { $0.source.map(\.number).encode(encoder: PlainCoder()) },
    PoisonedOperator("decode") { $0.source.decode(type: Int.self, decoder: PlainCoder()) },
    PoisonedOperator("enumerated") { $0.source.enumerated() },
    PoisonedOperator("mapToResult") { $0.source.mapToResult() },
    PoisonedOperator("pairwise") { $0.source.pairwise() },
    PoisonedOperator("exhaustMap") { scene in scene.source.exhaustMap(poisoned { _ in scene.other.prefix(2) }) },
    PoisonedOperator("concatMap") { scene in scene.source.concatMap(poisoned { _ in scene.other.prefix(2) }) },
    PoisonedOperator("flatMapLatest") { scene in scene.source.flatMapLatest(poisoned { _ in scene.other.prefix(2) }) },
    PoisonedOperator("materialize") { $0.source.materialize() },
    PoisonedOperator("materialize, dematerialize") { $0.source.materialize().dematerialize() },
  ]

  private static let filtering: [PoisonedOperator] = [
    PoisonedOperator("filter") { $0.source.filter(poisoned { $0.number != 2 }) },
    PoisonedOperator("tryFilter") { $0.source.tryFilter(poisonedTry { $0.number != 2 }) },
    PoisonedOperator("compactMap") { $0.source.compactMap(poisoned { $0.number == 2 ? nil : $0 }) },
    PoisonedOperator("tryCompactMap") { $0.source.tryCompactMap(poisonedTry { $0.number == 2 ? nil : $0 }) },
    PoisonedOperator("removeDuplicates") { $0.source.removeDuplicates() },
    PoisonedOperator("removeDuplicates(by:)") { $0.source.removeDuplicates(by: poisoned { $0 == $1 }) },
    PoisonedOperator("tryRemoveDuplicates") { $0.source.tryRemoveDuplicates(by: poisonedTry { $0 == $1 }) },
    PoisonedOperator("replaceEmpty") { $0.source.filter { $0.number > 5 }.replaceEmpty(with: PoisonedValue(0)) },
    PoisonedOperator("replaceError") { $0.source.replaceError(with: PoisonedValue(0)) },
    PoisonedOperator("ignoreOutput") { $0.source.ignoreOutput() },
    PoisonedOperator("distinct") { $0.source.distinct() },
    PoisonedOperator("distinct(by:), a key") { $0.source.distinct(by: poisoned { $0 }) },
    PoisonedOperator("distinct(by:)") { $0.source.distinct(by: poisoned { $0 == $1 }) },
    PoisonedOperator("partition") { $0.source.partition(poisoned { $0.number == 1 }).matches },
    PoisonedOperator("partition, the others") { $0.source.partition(poisoned { $0.number == 1 }).nonMatches },
  ]

  private static let reducing: [PoisonedOperator] = [
    PoisonedOperator("collect") { $0.source.collect() },
    PoisonedOperator("collect(count)") { $0.source.collect(2) },
    PoisonedOperator("reduce") { $0.source.reduce(PoisonedValue(0), poisoned { $1 }) },
    PoisonedOperator("tryReduce") { $0.source.tryReduce(PoisonedValue(0), poisonedTry { $1 }) },
    PoisonedOperator("count") { $0.source.count() },
    PoisonedOperator("min") { $0.source.min() },
    PoisonedOperator("max") { $0.source.max() },
    PoisonedOperator("min(by:)") { $0.source.min(by: poisoned { $0 < $1 }) },
    PoisonedOperator("max(by:)") { $0.source.max(by: poisoned { $0 < $1 }) },
    PoisonedOperator("tryMin(by:)") { $0.source.tryMin(by: poisonedTry { $0 < $1 }) },
    PoisonedOperator("tryMax(by:)") { $0.source.tryMax(by: poisonedTry { $0 < $1 }) },
    PoisonedOperator("allSatisfy") { $0.source.allSatisfy(poisoned { $0.number < 6 }) },
    PoisonedOperator("tryAllSatisfy") { $0.source.tryAllSatisfy(poisonedTry { $0.number < 10 }) },
    PoisonedOperator("contains") { $0.source.contains(PoisonedValue(6)) },
    PoisonedOperator("contains(where:)") { $0.source.contains(where: poisoned { $0.number == 6 }) },
    PoisonedOperator("tryContains(where:)") { $0.source.tryContains(where: poisonedTry { $0.number == 10 }) },
  ]

  private static let slicing: [PoisonedOperator] = [
    PoisonedOperator("first") { $0.source.first() },
    PoisonedOperator("first(where:)") { $0.source.first(where: poisoned { $0.number == 3 }) },
    PoisonedOperator("tryFirst(where:)") { $0.source.tryFirst(where: poisonedTry { $0.number == 10 }) },
    PoisonedOperator("last") { $0.source.last() },
    PoisonedOperator("last(where:)") { $0.source.last(where: poisoned { $0.number < 3 }) },
    PoisonedOperator("tryLast(where:)") { $0.source.tryLast(where: poisonedTry { $0.number < 3 }) },
    PoisonedOperator("dropFirst") { $0.source.dropFirst(2) },
    PoisonedOperator("drop(while:)") { $0.source.drop(while: poisoned { $0.number < 3 }) },
    PoisonedOperator("tryDrop(while:)") { $0.source.tryDrop(while: poisonedTry { $0.number < 10 }) },
    PoisonedOperator("drop(untilOutputFrom:)") { $0.source.drop(untilOutputFrom: $0.other) },
    PoisonedOperator("prefix") { $0.source.prefix(4) },
    PoisonedOperator("prefix(while:)") { $0.source.prefix(while: poisoned { $0.number < 3 }) },
    PoisonedOperator("tryPrefix(while:)") { $0.source.tryPrefix(while: poisonedTry { $0.number < 10 }) },
    PoisonedOperator("prefix(untilOutputFrom:)") { $0.source.prefix(untilOutputFrom: $0.other.dropFirst(5)) },
    PoisonedOperator("output(at:)") { $0.source.output(at: 3) },
    PoisonedOperator("output(in:)") { $0.source.output(in: 2..<4) },
    PoisonedOperator("prefix(while:behavior:)") {
      $0.source.prefix(while: poisoned { $0.number < 3 }, behavior: .inclusive)
    },
    PoisonedOperator("prefix(duration:)") { $0.source.prefix(duration: 9, on: $0.scheduler) },
    PoisonedOperator("suffix") { $0.source.suffix(2) },
    PoisonedOperator("dropLast") { $0.source.dropLast(2) },
  ]

  private static let mixing: [PoisonedOperator] = [
    PoisonedOperator("merge") { $0.source.merge(with: $0.other) },
    PoisonedOperator("merge of eight") {
      $0.source.merge(with: $0.other, $0.other, $0.other, $0.other, $0.other, $0.other, $0.other)
    },
    PoisonedOperator("MergeMany") { Publishers.MergeMany([$0.source, $0.other, $0.source]) },
    PoisonedOperator("combineLatest") { $0.source.combineLatest($0.other) },
    PoisonedOperator("combineLatest, a transform") { $0.source.combineLatest($0.other, poisoned { $0 == $1 }) },
    PoisonedOperator("combineLatest3") { $0.source.combineLatest($0.other, $0.source) },
    PoisonedOperator("combineLatest4") { $0.source.combineLatest($0.other, $0.source, $0.other) },
    PoisonedOperator("zip") { $0.source.zip($0.other) },
    PoisonedOperator("zip, a transform") { $0.source.zip($0.other, poisoned { $0 == $1 }) },
    PoisonedOperator("zip3") { $0.source.zip($0.other, $0.source) },
    PoisonedOperator("zip4") { $0.source.zip($0.other, $0.source, $0.other) },
    PoisonedOperator("prepend") { $0.source.prepend(PoisonedValue(0), PoisonedValue(1)) },
    PoisonedOperator("append") { $0.source.append(PoisonedValue(0), PoisonedValue(1)) },
    PoisonedOperator("append a publisher") { $0.source.prefix(3).append($0.other) },
    PoisonedOperator("switchToLatest") { scene in
      scene.source.map(poisoned { _ in scene.other.prefix(2) }).switchToLatest()
    },
    PoisonedOperator("amb") { $0.source.amb($0.other) },
    PoisonedOperator("amb of a collection") { [$0.source, $0.other, $0.source].amb() },
    PoisonedOperator("withLatest") { $0.source.withLatest(of: $0.other, poisoned { $0 == $1 }) },
    PoisonedOperator("withLatest(of:)") { $0.source.withLatest(of: $0.other) },
    PoisonedOperator("withLatest, upstream first") {
      ExtraPublishers.WithLatest(
        upstream: $0.source,
        other: $0.other,
        subscribesUpstreamFirst: true,
        transform: poisoned { (left: PoisonedValue, right: PoisonedValue) in (left, right) }
      )
    },
    PoisonedOperator("combineLatest of a collection") { [$0.source, $0.other, $0.source].combineLatest() },
    PoisonedOperator("zip of a collection") { [$0.source, $0.other, $0.source].zip() },
    PoisonedOperator("merge of a collection") { [$0.source, $0.other, $0.source].merge() },
    PoisonedOperator("ZipEach") { ExtraPublishers.ZipEach($0.source, $0.other, $0.source.map(\.number)) },
    PoisonedOperator("CombineLatestEach") {
      ExtraPublishers.CombineLatestEach($0.source, $0.other, $0.source.map(\.number))
    },
    PoisonedOperator("MergeEach") { ExtraPublishers.MergeEach($0.source, $0.other) },
  ]

  private static let failures: [PoisonedOperator] = [
    PoisonedOperator("catch") { scene in scene.source.catch(poisoned { _ in scene.other }) },
    PoisonedOperator("tryCatch") { scene in scene.source.tryCatch(poisoned { _ in scene.other }) },
    PoisonedOperator("retry") { $0.source.tryMap(poisonedTry { $0 }).retry(2) },
    PoisonedOperator("catch, retry") { scene in scene.source.catch(poisoned { _ in scene.other }).retry(2) },
    PoisonedOperator("assertNoFailure") { $0.source.replaceError(with: PoisonedValue(0)).assertNoFailure() },
    PoisonedOperator("ignoreFailure") { $0.source.ignoreFailure() },
    PoisonedOperator("retryWhen") { scene in
      scene.source.tryMap(poisonedTry { $0 }).retryWhen(poisoned { $0.flatMap { _ in scene.other.ignoreFailure() } })
    },
    PoisonedOperator("retry with a policy") {
      $0.source.tryMap(poisonedTry { $0 })
        .retry(
          .constant(.milliseconds(2), maxRetries: 2),
          scheduler: $0.scheduler,
          when: poisoned { (_: any Error) in true }
        )
    },
    PoisonedOperator("catch a type") { scene in
      scene.source.catch(PoisonedError.self, poisoned { (_: PoisonedError) in scene.other })
    },
    PoisonedOperator("fallback(to:)") { scene in scene.source.fallback(to: scene.other) },
  ]

  private static let timing: [PoisonedOperator] = [
    PoisonedOperator("collect(byTime)") { $0.source.collect(.byTime($0.scheduler, 3)) },
    PoisonedOperator("collect(byTimeOrCount)") { $0.source.collect(.byTimeOrCount($0.scheduler, 3, 2)) },
    PoisonedOperator("debounce") { $0.source.debounce(for: 3, scheduler: $0.scheduler) },
    PoisonedOperator("throttle, the latest") {
      $0.source.throttle(for: 3, scheduler: $0.scheduler, latest: true)
    },
    PoisonedOperator("throttle, the first") {
      $0.source.throttle(for: 3, scheduler: $0.scheduler, latest: false)
    },
    PoisonedOperator("delay") { $0.source.delay(for: 3, scheduler: $0.scheduler) },
    PoisonedOperator("timeout") { $0.source.timeout(30, scheduler: $0.scheduler) },
    PoisonedOperator("timeout, short") {
      $0.source.timeout(3, scheduler: $0.scheduler, customError: { PoisonedError() })
    },
    PoisonedOperator("measureInterval") { $0.source.measureInterval(using: $0.scheduler) },
    PoisonedOperator("receive(on:)") { $0.source.receive(on: $0.scheduler) },
    PoisonedOperator("subscribe(on:)") { $0.source.subscribe(on: $0.scheduler) },
    PoisonedOperator("buffer, byRequest") { $0.source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest) },
    PoisonedOperator("buffer, keepFull") { $0.source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest) },
    PoisonedOperator("buffer, an error") {
      $0.source.buffer(size: 2, prefetch: .byRequest, whenFull: .customError({ PoisonedError() }))
    },
    PoisonedOperator("sample(by:)") { $0.source.sample(by: $0.other) },
    PoisonedOperator("sample(by:), a timer") {
      $0.source.sample(by: $0.scheduler.timerPublisher(every: 2).autoconnect().setFailureType(to: PoisonedError.self))
    },
    PoisonedOperator("rateLimit") {
      $0.source.rateLimit(2, per: 3, scheduler: $0.scheduler)
    },
    PoisonedOperator("throttle(until:), the latest") { scene in
      scene.source.throttle(latest: true, until: poisoned { _ in scene.other.prefix(2) })
    },
    PoisonedOperator("throttle(until:), the first") { scene in
      scene.source.throttle(latest: false, until: poisoned { _ in scene.other.prefix(2) })
    },
    PoisonedOperator("timeout(first:next:)") {
      $0.source.timeout(first: 9, next: 2, scheduler: $0.scheduler)
    },
    PoisonedOperator("timeout(first:next:), an error") {
      $0.source.timeout(first: 2, next: 9, scheduler: $0.scheduler, customError: { PoisonedError() })
    },
    PoisonedOperator("timeout(first:next:fallback:)") {
      $0.source.timeout(first: 9, next: 2, scheduler: $0.scheduler, fallback: $0.other)
    },
    PoisonedOperator("delaySubscription") { $0.source.delaySubscription(for: 1, scheduler: $0.scheduler) },
    PoisonedOperator("timerPublisher") { $0.scheduler.timerPublisher(every: 2).autoconnect() },
    PoisonedOperator("timerPublisher, shared", isShared: true) { $0.scheduler.timerPublisher(every: 2).autoconnect() },
  ]

  private static let sharing: [PoisonedOperator] = [
    PoisonedOperator("share", isShared: true) { $0.source.share() },
    PoisonedOperator("multicast", isShared: true) { $0.source.multicast { PassthroughSubject() }.autoconnect() },
    PoisonedOperator("multicast to a current value", isShared: true) {
      $0.source.multicast { CurrentValueSubject(PoisonedValue(0)) }.autoconnect()
    },
    PoisonedOperator("makeConnectable", isShared: true) {
      $0.source.replaceError(with: PoisonedValue(0)).makeConnectable().autoconnect()
    },
    PoisonedOperator("share(replay:), while subscribed", isShared: true) {
      $0.source.share(replay: 2, scope: .whileSubscribed)
    },
    PoisonedOperator("share(replay:), forever", isShared: true) { $0.source.share(replay: 2, scope: .forever) },
    PoisonedOperator("referenceCounted", isShared: true) {
      $0.source.multicast { PassthroughSubject() }.referenceCounted()
    },
    PoisonedOperator("referenceCounted(disconnectingAfter:)", isShared: true) {
      $0.source.multicast { PassthroughSubject() }.referenceCounted(disconnectingAfter: 2, scheduler: $0.scheduler)
    },
  ]

  private static let sources: [PoisonedOperator] = [
    PoisonedOperator("PassthroughSubject", isShared: true) { $0.feed(PassthroughSubject()) },
    PoisonedOperator("CurrentValueSubject", isShared: true) { $0.feed(CurrentValueSubject(PoisonedValue(0))) },
    PoisonedOperator("ReplaySubject", isShared: true) { $0.feed(ReplaySubject(replaying: 2)) },
    PoisonedOperator("ReplaySubject(notOlderThan:)", isShared: true) {
      $0.feed(ReplaySubject(notOlderThan: 3, scheduler: $0.scheduler))
    },
    PoisonedOperator("PassthroughRelay", isShared: true) {
      let relay = PassthroughRelay<PoisonedValue>()
      $0.keep($0.source.ignoreFailure().subscribe(relay))
      return relay
    },
    PoisonedOperator("CurrentValueRelay", isShared: true) {
      let relay = CurrentValueRelay(PoisonedValue(0))
      $0.keep($0.source.ignoreFailure().subscribe(relay))
      return relay
    },
    PoisonedOperator("Published", isShared: true) {
      let model = PoisonedModel()
      $0.source.ignoreFailure().assign(to: &model.$value)
      return model.$value
    },
    PoisonedOperator("objectWillChange", isShared: true) {
      let model = PoisonedModel()
      $0.source.ignoreFailure().assign(to: &model.$value)
      return model.objectWillChange
    },
    PoisonedOperator("assign(to:on:)") { scene in
      let model = PoisonedModel()
      scene.keep(scene.source.ignoreFailure().assign(to: \.value, on: model))
      return model.$value
    },
    PoisonedOperator("assign(to:on:), a setter") { scene in
      scene.keep(scene.source.ignoreFailure().assign(to: \.value, on: PoisonedTarget()))
      return scene.other
    },
    PoisonedOperator("assign(to:on:ownership:)") { scene in
      let target = PoisonedTarget()
      scene.keep(scene.source.ignoreFailure().assign(to: \.value, on: target, ownership: .weak))
      return scene.other.map { value in withExtendedLifetime(target) { value } }
    },
    PoisonedOperator("Future", isShared: true) { scene in
      let source = scene.source
      return Future<PoisonedValue, PoisonedError> { promise in
        source.first().subscribe(
          Subscribers.Sink {
            if case .failure(let error) = $0 { promise(.failure(error)) }
          } receiveValue: {
            promise(.success($0))
          }
        )
      }
    },
    PoisonedOperator("Just") { _ in Just(PoisonedValue(1)) },
    PoisonedOperator("Optional") { _ in Optional.Publisher(PoisonedValue(1)) },
    PoisonedOperator("Result") { _ in Result<PoisonedValue, PoisonedError>.failure(PoisonedError()).publisher },
    PoisonedOperator("Fail") { _ in Fail<PoisonedValue, PoisonedError>(error: PoisonedError()) },
    PoisonedOperator("Sequence") { _ in (1...5).lazy.map(poisoned { PoisonedValue($0) }).publisher },
    PoisonedOperator("Sequence, contains") { _ in (1...5).map { PoisonedValue($0) }.publisher.contains(PoisonedValue(3))
    },
    PoisonedOperator("Sequence, removeDuplicates") { _ in (1...5).map { PoisonedValue($0) }.publisher.removeDuplicates()
    },
    PoisonedOperator("Sequence, max") { _ in (1...5).map { PoisonedValue($0) }.publisher.max() },
    PoisonedOperator("Just, contains") { _ in Just(PoisonedValue(3)).contains(PoisonedValue(3)) },
    PoisonedOperator("Record") { _ in
      Record(output: [PoisonedValue(1), PoisonedValue(2)], completion: .failure(PoisonedError()))
    },
    PoisonedOperator("Deferred") { scene in Deferred { scene.source } },
    PoisonedOperator("create") { scene in
      AnyPublisher<PoisonedValue, PoisonedError> { subscriber in
        scene.source.sink {
          subscriber.send(completion: $0)
        } receiveValue: {
          subscriber.send($0)
        }
      }
    },
    PoisonedOperator("Using") { scene in
      Using(poisonedResource, publisher: poisoned { (_: Poison) in scene.source }, release: poisoned { (_: Poison) in })
    },
  ]

  private static let grouping: [PoisonedOperator] = [
    PoisonedOperator("groupBy") { $0.source.groupBy(poisoned { $0 }).flatMap { $0 } },
    PoisonedOperator("groupBy, two groups") { $0.source.groupBy(maxGroups: 2, poisoned { $0 }).flatMap { $0 } },
    PoisonedOperator("groupBy, closed groups") { $0.source.groupBy(poisoned { $0 }).flatMap { $0.first() } },
    PoisonedOperator("groupBy, without subscribers") { $0.source.groupBy(poisoned { $0 }) },
    PoisonedOperator("window(count)") { $0.source.window(2).flatMap { $0 } },
    PoisonedOperator("window(count), without subscribers") { $0.source.window(2, every: 1) },
    PoisonedOperator("window(for:)") { $0.source.window(for: 3, scheduler: $0.scheduler).flatMap { $0 } },
    PoisonedOperator("window(for:every:)") {
      $0.source.window(for: 3, every: 2, maxCount: 2, scheduler: $0.scheduler).flatMap { $0 }
    },
    PoisonedOperator("collect(count, every:)") { $0.source.collect(3, every: 2) },
    PoisonedOperator("collect(for:)") { $0.source.collect(for: 3, scheduler: $0.scheduler) },
    PoisonedOperator("collect(for:every:)") {
      $0.source.collect(for: 3, every: 2, maxCount: 2, scheduler: $0.scheduler)
    },
  ]

  private static let others: [PoisonedOperator] = [
    PoisonedOperator("print") { $0.source.print("", to: PoisonedStream()) },
    PoisonedOperator("handleEvents") {
      $0.source.handleEvents(receiveOutput: poisoned { _ in }, receiveRequest: poisoned { _ in })
    },
    PoisonedOperator("breakpoint") { $0.source.breakpoint(receiveOutput: poisoned { _ in false }) },
    PoisonedOperator("breakpointOnError") { $0.source.ignoreFailure().breakpointOnError() },
    PoisonedOperator("eraseToAnyPublisher") { $0.source.eraseToAnyPublisher() },
    PoisonedOperator("finally") { $0.source.finally(poisonedAction()) },
    PoisonedOperator("repeat") { $0.source.prefix(2).repeat(3) },
    PoisonedOperator("receive(on: AnyScheduler)") { $0.source.receive(on: AnyScheduler($0.scheduler)) },
    PoisonedOperator("receive(on: TrampolineScheduler)") { $0.source.receive(on: TrampolineScheduler.shared) },
    PoisonedOperator("values sent to AnySubscriber") { scene in
      AnyPublisher<PoisonedValue, PoisonedError> { subscriber in
        let sink = Subscribers.Sink<PoisonedValue, PoisonedError> {
          subscriber.send(completion: $0)
        } receiveValue: {
          subscriber.send($0)
        }
        scene.source.subscribe(AnySubscriber(sink))
        return AnyCancellable(sink)
      }
    },
  ]

  private static func poisonedResource() -> Poison { Poison() }

  private static func poisonedAction() -> () -> Void {
    let poison = Poison()
    return { withExtendedLifetime(poison) { Intrusion.reach(.closure) } }
  }
}

/// An object with a property whose setter is code of a user.
private final class PoisonedTarget {

  private var stored = PoisonedValue(0)

  var value: PoisonedValue {
    get { stored }
    set {
      let old = stored
      stored = newValue
      Intrusion.reach(.keyPath)
      withExtendedLifetime(old) {}
    }
  }

  deinit { Intrusion.reach(.release) }
}

private final class PoisonedModel: ObservableObject {
  @Published var value = PoisonedValue(0)
}
