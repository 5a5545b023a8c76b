import CombineCore
import CombineExtras
import SpecModels
import TestSupport
import Testing

/// The operators that wait for time, each beside its model, in virtual time.
@Suite struct TimedModelTests {

  private typealias Event = OperatorEvent
  private typealias Demand = Subscribers.Demand
  private typealias Timed = SpecModels.Timed<Int, TestError, VirtualScheduler>
  typealias Stride = VirtualScheduler.SchedulerTimeType.Stride

  private static let inTime: [Event] = [.value(0), .finish(0), .tick]
  private static let all: [Event] = [
    .value(0), .finish(0), .fail(0), .request(.max(1)), .request(.unlimited), .cancel,
  ]

  /// Compares an operator with its model twice: for long under unlimited demand, and then for all events
  /// and reactions.
  private func compare<P: Publisher<Int, TestError>, Model: Publisher<Int, TestError>>(
    _ name: String,
    model: @escaping (OperatorInput) -> Model,
    sourceLocation: SourceLocation = #_sourceLocation,
    operation: @escaping (OperatorInput) -> P
  ) {
    expectBehavesAsModel(
      name,
      Circumstances(requested: .unlimited),
      depth: 8,
      alphabet: { _ in Self.inTime },
      model: model,
      shortSequenceCount: 500,
      sourceLocation: sourceLocation,
      operation: operation
    )
    expectBehavesAsModel(
      name,
      [Circumstances(returned: .max(1)), Circumstances(requested: .max(2), hasSubscriptions: false)],
      reactions: Reaction.all(of: ["value", "completion", "a request", "a cancel"], Self.all),
      after: [[.request(.max(1))], [.request(.max(1)), .value(0)]],
      depth: 4,
      alphabet: { _ in Self.all + [.tick, .late] },
      model: model,
      shortSequenceCount: 500,
      sourceLocation: sourceLocation,
      operation: operation
    )
  }

  @Test func debounce() {
    compare(
      "debounce",
      model: { DebounceModel(upstream: $0.upstreams[0], dueTime: 3, scheduler: $0.scheduler, options: nil) }
    ) {
      $0.upstreams[0].debounce(for: 3, scheduler: $0.scheduler)
    }
  }

  @Test(arguments: [true, false]) func throttle(latest: Bool) {
    compare(
      "throttle, \(latest ? "latest" : "first")",
      model: { ThrottleModel(upstream: $0.upstreams[0], interval: 2, scheduler: $0.scheduler, latest: latest) }
    ) {
      $0.upstreams[0].throttle(for: 2, scheduler: $0.scheduler, latest: latest)
    }
  }

  @Test(arguments: [nil, 1, 2, 3] as [Int?]) func collectByTime(count: Int?) {
    compare(
      "collect by time\(count.map { ", or \($0)" } ?? "")",
      model: {
        $0.logged(
          CollectByTimeModel(
            upstream: $0.upstreams[0],
            scheduler: $0.scheduler,
            interval: 2,
            count: count,
            options: nil
          )
        )
      }
    ) { input in
      input.logged(
        input.upstreams[0].collect(
          count.map { .byTimeOrCount(input.scheduler, 2, $0) } ?? .byTime(input.scheduler, 2)
        )
      )
    }
  }

  @Test(arguments: [1, 2], [1, 3] as [Stride]) func rateLimit(count: Int, interval: Stride) {
    compare(
      "rateLimit, \(count) in \(interval)",
      model: { Timed($0.upstreams[0], .rateLimit(count, per: interval), scheduler: $0.scheduler) }
    ) {
      $0.upstreams[0].rateLimit(count, per: interval, scheduler: $0.scheduler)
    }
  }

  @Test(arguments: [nil, 1, 2, 4] as [Stride?]) func timeout(next: Stride?) {
    compare(
      "timeout, first 3, next \(next.map { "\($0)" } ?? "without")",
      model: { Timed($0.upstreams[0], .timeout(first: 3, next: next, error: nil), scheduler: $0.scheduler) }
    ) {
      $0.upstreams[0].timeout(first: 3, next: next, scheduler: $0.scheduler)
    }
  }

  @Test func delaySubscription() {
    compare(
      "delaySubscription",
      model: { Timed($0.upstreams[0], .delaySubscription(2), scheduler: $0.scheduler) }
    ) {
      $0.upstreams[0].delaySubscription(for: 2, scheduler: $0.scheduler)
    }
  }

  @Test func retryLater() {
    compare(
      "retry with a policy",
      model: { SpecModels.RetryLater($0.upstreams[0], count: 2, delay: .milliseconds(2), scheduler: $0.scheduler) }
    ) {
      $0.upstreams[0].retry(.constant(.milliseconds(2), maxRetries: 2), scheduler: $0.scheduler)
    }
  }

  // MARK: Windows

  /// The durations with the interval: one after another, several at once, not a multiple of the interval, and with gaps.
  private static let lengths: [(Stride, Stride?)] = [(2, nil), (3, 1), (3, 2), (1, 2)]

  @Test(arguments: [nil, 2] as [Int?]) func windowsOfTime(maxCount: Int?) {
    for (duration, interval) in Self.lengths {
      compare(
        "window for \(duration) every \(interval.map { "\($0)" } ?? "-"), at most \(maxCount.map { "\($0)" } ?? "-")",
        model: {
          $0.logged(
            SpecModels.Windows(
              $0.upstreams[0],
              for: duration,
              every: interval,
              maxCount: maxCount,
              scheduler: $0.scheduler
            ) as SpecModels.Windows<MixingFixture.Upstream, SpecModels.Part<Int, TestError>, VirtualScheduler>
          )
        }
      ) {
        $0.logged($0.upstreams[0].window(for: duration, every: interval, maxCount: maxCount, scheduler: $0.scheduler))
      }
    }
  }

  @Test(arguments: [nil, 2] as [Int?]) func arraysOfTime(maxCount: Int?) {
    for (duration, interval) in Self.lengths {
      compare(
        "collect for \(duration) every \(interval.map { "\($0)" } ?? "-"), at most \(maxCount.map { "\($0)" } ?? "-")",
        model: {
          $0.logged(
            SpecModels.Windows(
              $0.upstreams[0],
              for: duration,
              every: interval,
              maxCount: maxCount,
              scheduler: $0.scheduler
            ) as SpecModels.Windows<MixingFixture.Upstream, [Int], VirtualScheduler>
          )
        }
      ) {
        $0.logged($0.upstreams[0].collect(for: duration, every: interval, maxCount: maxCount, scheduler: $0.scheduler))
      }
    }
  }
}
