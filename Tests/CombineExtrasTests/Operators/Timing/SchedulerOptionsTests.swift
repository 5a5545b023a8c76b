import CombineExtras
import TestSupport
import Testing

/// Operators that call a scheduler pass their options on, with every action.
@Suite struct SchedulerOptionsTests {

  private typealias Upstream = ManualPublisher<Int, TestError>

  private static let operators: [(String, @Sendable (Upstream, VirtualScheduler) -> AnyPublisher<Int, TestError>)] = [
    (
      "collect(for:)",
      { $0.collect(for: 5, every: 10, scheduler: $1, options: 7).map(\.count).eraseToAnyPublisher() }
    ),
    (
      "window(for:)",
      { $0.window(for: 5, every: 10, scheduler: $1, options: 7).flatMap { $0 }.eraseToAnyPublisher() }
    ),
    ("rateLimit", { $0.rateLimit(1, per: 5, scheduler: $1, options: 7).eraseToAnyPublisher() }),
    ("timeout(first:)", { $0.timeout(first: 5, next: 3, scheduler: $1, options: 7).eraseToAnyPublisher() }),
    ("delaySubscription", { $0.delaySubscription(for: 5, scheduler: $1, options: 7).eraseToAnyPublisher() }),
    ("prefix(duration:)", { $0.prefix(duration: 5, on: $1, options: 7).eraseToAnyPublisher() }),
    (
      "retry",
      { upstream, scheduler in
        upstream.tryMap { _ in throw TestError("x") }.mapError { $0 as! TestError }
          .retry(.constant(.seconds(5), maxRetries: 1), scheduler: scheduler, options: 7).eraseToAnyPublisher()
      }
    ),
    (
      "referenceCounted",
      { upstream, scheduler in
        upstream.multicast { PassthroughSubject() }
          .referenceCounted(disconnectingAfter: 5, scheduler: scheduler, options: 7).eraseToAnyPublisher()
      }
    ),
  ]

  @Test(arguments: operators.indices) func arePassedOn(index: Int) {
    let (name, make) = Self.operators[index]
    let scheduler = VirtualScheduler()
    let upstream = Upstream()
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    make(upstream, scheduler).subscribe(downstream)
    for value in 1...3 where upstream.subscriber != nil { upstream.send(value) }
    scheduler.advance(by: 12)
    downstream.cancel()
    let options = scheduler.traffic.compactMap { call -> VirtualScheduler.SchedulerOptions?? in
      switch call {
      case .run(let options), .at(_, _, let options), .every(_, _, _, let options): options
      default: nil
      }
    }
    #expect(!options.isEmpty && options.allSatisfy { $0 == 7 }, "\(name): \(options)")
  }
}
