import CombineExtras
import CombineTesting
import TestSupport
import Testing

/// An operator on integers, for tests of the rules that all operators follow.
struct OperatorCase: CustomTestStringConvertible, Sendable {

  typealias Upstream = AnyPublisher<Int, TestError>

  let testDescription: String

  /// Whether the operator requests from the upstream only what the downstream requests.
  let passesDemand: Bool

  /// Whether the operator has a conduit of its own, which passes the upstream's failure on and releases its downstream at
  /// the end. Others leave these rules, and those for a wrong upstream, to Combine's operators.
  let hasOwnConduit: Bool

  let apply: @Sendable (Upstream, TestScheduler) -> AnyPublisher<Int, TestError>

  init<P: Publisher<Int, TestError> & SendableMetatype>(
    _ name: String,
    passesDemand: Bool = true,
    hasOwnConduit: Bool = true,
    _ apply: @escaping @Sendable (Upstream, TestScheduler) -> P
  ) {
    testDescription = name
    self.passesDemand = passesDemand
    self.hasOwnConduit = hasOwnConduit
    self.apply = { apply($0, $1).eraseToAnyPublisher() }
  }

  static let all: [OperatorCase] = mapping + mixing + others + grouping

  private static let mapping: [OperatorCase] = [
    OperatorCase("enumerated", hasOwnConduit: false) { upstream, _ in
      upstream.enumerated().map(\.element)
    },
    OperatorCase("mapToResult", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      upstream.mapToResult().setFailureType(to: TestError.self).flatMap(maxPublishers: .max(1)) { $0.publisher }
    },
    OperatorCase("pairwise", hasOwnConduit: false) { upstream, _ in
      upstream.pairwise().map(\.1)
    },
    OperatorCase("distinct", hasOwnConduit: false) { upstream, _ in upstream.distinct() },
    OperatorCase("distinct(by:)", hasOwnConduit: false) { upstream, _ in
      upstream.distinct { $0 == $1 }
    },
    OperatorCase("exhaustMap", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      upstream.exhaustMap { Just($0).setFailureType(to: TestError.self) }
    },
    OperatorCase("partition", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      Deferred { upstream.partition { _ in true }.matches }
    },
    OperatorCase("materialize, dematerialize") { upstream, _ in upstream.materialize().dematerialize() },
    OperatorCase("prefix(while:behavior:)") { upstream, _ in
      upstream.prefix(while: { $0 < 1000 }, behavior: .inclusive)
    },
    OperatorCase("prefix(duration:)", hasOwnConduit: false) { upstream, scheduler in
      upstream.prefix(duration: 1000, on: scheduler)
    },
  ]

  private static let mixing: [OperatorCase] = [
    OperatorCase("amb", passesDemand: false) { upstream, _ in upstream.amb(Empty(completeImmediately: false)) },
    OperatorCase("amb, second", passesDemand: false) { upstream, _ in
      Empty(completeImmediately: false).amb(upstream)
    },
    OperatorCase("withLatest") { upstream, _ in
      upstream.withLatest(of: Just(0).setFailureType(to: TestError.self)) { value, _ in value }
    },
    OperatorCase("withLatest, upstream first") { upstream, _ in
      ExtraPublishers.WithLatest(
        upstream: upstream,
        other: Just(0).setFailureType(to: TestError.self),
        subscribesUpstreamFirst: true
      ) { value, _ in value }
    },
    OperatorCase("combineLatest of a collection", hasOwnConduit: false) { upstream, _ in
      [upstream].combineLatest().map { $0[0] }
    },
    OperatorCase("zip of a collection", hasOwnConduit: false) { upstream, _ in
      [upstream].zip().map { $0[0] }
    },
    OperatorCase("merge of a collection", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      [upstream].merge()
    },
    OperatorCase("ZipEach", hasOwnConduit: false) { upstream, _ in
      ExtraPublishers.ZipEach(upstream, (1...100).publisher.setFailureType(to: TestError.self)).map(\.0)
    },
    OperatorCase("CombineLatestEach", hasOwnConduit: false) { upstream, _ in
      ExtraPublishers.CombineLatestEach(Just("a").setFailureType(to: TestError.self), upstream).map(\.1)
    },
    OperatorCase("MergeEach", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      ExtraPublishers.MergeEach(upstream, Empty())
    },
    OperatorCase("retryWhen") { upstream, _ in
      upstream.retryWhen { $0.tryMap { throw $0 } as Publishers.TryMap<AnyPublisher<TestError, Never>, Int> }
    },
    OperatorCase("share(replay:)", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      Deferred { upstream.share(replay: 1, scope: .whileSubscribed) }
    },
  ]

  private static let others: [OperatorCase] = [
    OperatorCase("finally") { upstream, _ in upstream.finally {} },
    OperatorCase("Using") { upstream, _ in Using({}, publisher: { upstream }, release: {}) },
    OperatorCase("repeat") { upstream, _ in upstream.repeat(1) },
    OperatorCase("retry with a policy") { upstream, scheduler in
      upstream.retry(.constant(.seconds(1), maxRetries: 0), scheduler: scheduler)
    },
    OperatorCase("timeout(first:next:)") { upstream, scheduler in
      upstream.timeout(first: 1000, next: 1000, scheduler: scheduler)
    },
    OperatorCase("timeout(fallback:)", hasOwnConduit: false) { upstream, scheduler in
      upstream.timeout(first: 1000, scheduler: scheduler, fallback: Empty())
    },
    OperatorCase("catch a type", hasOwnConduit: false) { upstream, _ in
      upstream.catch(CancellationError.self) { _ in Empty() }
    },
    OperatorCase("delaySubscription") { upstream, scheduler in
      upstream.delaySubscription(for: 0, scheduler: scheduler)
    },
    OperatorCase("sample(by:)", passesDemand: false) { upstream, _ in
      upstream.sample(by: Empty<Void, TestError>(completeImmediately: false))
    },
    OperatorCase("rateLimit") { upstream, scheduler in upstream.rateLimit(2, per: 3, scheduler: scheduler) },
    OperatorCase("throttle until", passesDemand: false) { upstream, scheduler in
      upstream.throttle(latest: false) { _ in
        Just(()).delay(for: 3, scheduler: scheduler).setFailureType(to: TestError.self)
      }
    },
    OperatorCase("suffix", passesDemand: false) { upstream, _ in upstream.suffix(2) },
    OperatorCase("dropLast") { upstream, _ in upstream.dropLast(2) },
  ]

  private static let grouping: [OperatorCase] = [
    OperatorCase("collect by step") { upstream, _ in upstream.collect(1, every: 1).map { $0[0] } },
    OperatorCase("collect by interval", passesDemand: false) { upstream, scheduler in
      upstream.collect(for: 4, maxCount: 2, scheduler: scheduler).map { $0[0] }
    },
    OperatorCase("collect by interval, overlapping", passesDemand: false) { upstream, scheduler in
      upstream.collect(for: 5, every: 3, scheduler: scheduler).map { $0[0] }
    },
    OperatorCase("groupBy", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      upstream.groupBy { $0 % 2 }.flatMap { $0 }
    },
    OperatorCase("window by count", passesDemand: false, hasOwnConduit: false) { upstream, _ in
      upstream.window(2).flatMap { $0 }
    },
    OperatorCase("window by time", passesDemand: false, hasOwnConduit: false) { upstream, scheduler in
      upstream.window(for: 3, scheduler: scheduler).flatMap { $0 }
    },
  ]
}
