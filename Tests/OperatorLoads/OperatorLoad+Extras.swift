import Combine
import CombineExtras
import Dispatch

extension OperatorLoad {

  private static let queue = DispatchQueue(label: "OperatorLoad, extras")
  private static let never = PassthroughSubject<Int, Never>()

  /// The operators of `CombineExtras`.
  static let extras: [OperatorLoad] = extraMapping + extraMixing + extraSharing + extraTiming + extraLife

  private static let extraMapping: [OperatorLoad] = [
    OperatorLoad("enumerated", passesAll: true) { $0.enumerated().map(\.element) },
    OperatorLoad("mapToResult") { $0.mapToResult().map { $0.get() } },
    OperatorLoad("nwise") { $0.nwise(3).map { $0[0] } },
    OperatorLoad("pairwise") { $0.pairwise().map(\.1) },
    OperatorLoad("exhaustMap", passesAll: true) { $0.exhaustMap { Just($0) } },
    OperatorLoad("concatMap") { $0.concatMap { Just($0) } },
    OperatorLoad("flatMapLatest", passesAll: true) { $0.flatMapLatest { Just($0) } },
    OperatorLoad("distinct") { $0.prefix(20).distinct() },
    OperatorLoad("distinct(by:)") { $0.prefix(20).distinct { $0 == $1 } },
    OperatorLoad("partition") { $0.partition { $0.isMultiple(of: 2) }.matches },
    OperatorLoad("ignoreFailure", passesAll: true) { $0.ignoreFailure() },
    OperatorLoad("prefix(while:behavior:)", passesAll: true) { $0.prefix(while: { $0 >= 0 }, behavior: .inclusive) },
    OperatorLoad("prefix(duration:)", passesAll: true) { $0.prefix(duration: .seconds(100), on: queue) },
    OperatorLoad("suffix") { $0.prefix(20).suffix(3) },
    OperatorLoad("dropLast") { $0.dropLast(3) },
    OperatorLoad("materialize, dematerialize", passesAll: true) { $0.materialize().dematerialize() },
    OperatorLoad("groupBy") { $0.groupBy { $0 % 4 }.flatMap { $0 } },
    OperatorLoad("groupBy, one group") { $0.groupBy(maxGroups: 1) { $0 % 4 }.flatMap { $0 } },
  ]

  private static let extraMixing: [OperatorLoad] = [
    OperatorLoad("amb", passesAll: true) { $0.amb(never) },
    OperatorLoad("amb, itself") { $0.amb($0) },
    OperatorLoad("withLatest") { $0.withLatest(of: $0) { $0 + $1 } },
    OperatorLoad("withLatest, upstream first") {
      Publishers.WithLatest(upstream: $0, other: $0, subscribesUpstreamFirst: true) { $0 + $1 }
    },
    OperatorLoad("combineLatest of a collection") { [$0, $0, $0].combineLatest().map { $0.reduce(0, +) } },
    OperatorLoad("zip of a collection") { [$0, $0, $0].zip().map { $0.reduce(0, +) } },
    OperatorLoad("startWith") { $0.startWith(-1) },
    OperatorLoad("retryWhen", passesAll: true) { $0.retryWhen { _ in never } },
    OperatorLoad("retry with a policy", passesAll: true) {
      $0.retry(.constant(.seconds(1), maxRetries: 1), scheduler: queue)
    },
    OperatorLoad("catch a type", passesAll: true) { $0.catch(CancellationError.self) { _ in never } },
  ]

  private static let extraSharing: [OperatorLoad] = [
    OperatorLoad("share(replay:), while subscribed", passesAll: true) { $0.share(replay: 1, scope: .whileSubscribed) },
    OperatorLoad("share(replay:), forever", passesAll: true) { $0.share(replay: 1, scope: .forever) },
    OperatorLoad("referenceCounted", passesAll: true) { $0.multicast { PassthroughSubject() }.referenceCounted() },
  ]

  private static let extraTiming: [OperatorLoad] = [
    OperatorLoad("sample(every:)") { $0.sample(every: .microseconds(50), scheduler: queue) },
    OperatorLoad("sample(by:)") { $0.sample(by: $0) },
    OperatorLoad("rateLimit") { $0.rateLimit(1000, per: .microseconds(50), scheduler: queue) },
    OperatorLoad("throttle by interval") {
      $0.throttle(latest: true, scheduler: queue) { _ in .microseconds(50) }
    },
    OperatorLoad("timeout(first:next:)") { $0.timeout(first: .seconds(100), next: .seconds(100), scheduler: queue) },
    OperatorLoad("delaySubscription", subscribesLater: true) {
      $0.delaySubscription(for: .microseconds(1), scheduler: queue)
    },
  ]

  private static let extraLife: [OperatorLoad] = [
    OperatorLoad("finally", passesAll: true) { $0.finally {} },
    OperatorLoad("Using", passesAll: true) { subject in Using({}, publisher: { subject }, release: {}) },
    OperatorLoad("repeat", passesAll: true) { $0.repeat(1) },
  ]

  /// Waits until the queue of these operators has run all its actions.
  static func drainExtras() { queue.sync {} }
}
