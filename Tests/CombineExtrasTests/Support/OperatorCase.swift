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

  /// Whether the operator has a conduit of its own. Others leave the rules for a wrong upstream to Combine's operators.
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

  static let all: [OperatorCase] = [
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
    OperatorCase("sample(every:)", passesDemand: false) { upstream, scheduler in
      upstream.sample(every: 2, scheduler: scheduler)
    },
    OperatorCase("sample(by:)", passesDemand: false) { upstream, _ in
      upstream.sample(by: Empty<Void, TestError>(completeImmediately: false))
    },
    OperatorCase("rateLimit") { upstream, scheduler in upstream.rateLimit(2, per: 3, scheduler: scheduler) },
    OperatorCase("pace") { upstream, scheduler in upstream.pace(by: 3, scheduler: scheduler) },
    OperatorCase("throttle by interval", passesDemand: false) { upstream, scheduler in
      upstream.throttle(latest: true, scheduler: scheduler) { _ in 3 }
    },
    OperatorCase("throttle until", passesDemand: false) { upstream, scheduler in
      upstream.throttle(latest: false) { _ in
        Just(()).delay(for: 3, scheduler: scheduler).setFailureType(to: TestError.self)
      }
    },
    OperatorCase("suffix", passesDemand: false) { upstream, _ in upstream.suffix(2) },
    OperatorCase("dropLast") { upstream, _ in upstream.dropLast(2) },
  ]
}
