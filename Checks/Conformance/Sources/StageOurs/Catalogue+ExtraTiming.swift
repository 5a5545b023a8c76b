import CombineCore
import CombineExtras
import Scripts
import SpecModels

extension Catalogue {

  /// A pending timer holds the subscription and is held by it, until it fires or is cancelled.
  static let pending: Set<Law> = [.releaseWithoutEnd]

  private typealias Timed = SpecModels.Timed<Int, Fault, VirtualScheduler>

  /// Operators of `CombineExtras` with timers.
  static func extraTiming(by provider: Provider) -> [Entry] {
    limiting(by: provider) + throttlingByWindow(by: provider) + deadlines(by: provider)
  }

  private static func limiting(by provider: Provider) -> [Entry] {
    [
      Entry("rateLimit", parameters: [1...3, 1...4], traits: .timed, exemptFrom: pending) { stage in
        let (count, interval, scheduler) = (stage.parameter(0), stage.interval(1), stage.scheduler)
        stage.present(
          choose(
            provider,
            stage.source().rateLimit(count, per: interval, scheduler: scheduler),
            Timed(stage.source(), .rateLimit(count, per: interval), scheduler: scheduler)
          )
        )
      },
      Entry("delaySubscription", parameters: [0...4], traits: .timed, exemptFrom: pending) { stage in
        let (interval, scheduler) = (stage.interval(0), stage.scheduler)
        stage.present(
          choose(
            provider,
            stage.source().delaySubscription(for: interval, scheduler: scheduler),
            Timed(stage.source(), .delaySubscription(interval), scheduler: scheduler)
          )
        )
      },
    ]
  }

  private static func throttlingByWindow(by provider: Provider) -> [Entry] {
    [
      Entry("throttle until", sources: 2, parameters: [0...1], traits: .closures) { stage in
        let (source, window, latest) = (stage.source(), stage.source(), stage.parameter(0) == 1)
        func until(_ value: Int) -> Source<Int, Fault> {
          stage.note(closure: "until(\(value))")
          return window
        }
        stage.present(
          choose(
            provider,
            source.throttle(latest: latest, until: until),
            SpecModels.ThrottleWindow(source, latest: latest, until: until)
          )
        )
      }
    ]
  }

  private static func deadlines(by provider: Provider) -> [Entry] {
    [
      Entry("timeout first, next", parameters: [1...4, 0...4], traits: .timed, exemptFrom: pending) { stage in
        let (first, scheduler) = (stage.interval(0), stage.scheduler)
        let next = stage.parameter(1) == 0 ? nil : stage.interval(1)
        stage.present(
          choose(
            provider,
            stage.source().timeout(first: first, next: next, scheduler: scheduler),
            Timed(stage.source(), .timeout(first: first, next: next, error: nil), scheduler: scheduler)
          )
        )
      },
      Entry("timeout fallback", sources: 2, parameters: [1...4], traits: .timed, exemptFrom: pending) { stage in
        let fallback = stage.source()
        let source = stage.source()
        let (first, scheduler) = (stage.interval(0), stage.scheduler)
        stage.present(
          choose(
            provider,
            source.timeout(first: first, scheduler: scheduler, fallback: fallback),
            SpecModels.Timed(
              source.mapError { Expiry.upstream($0) },
              .timeout(first: first, next: nil, error: .timeout),
              scheduler: scheduler
            )
            .catch { (expiry: Expiry) -> Numbers in
              switch expiry {
              case .timeout: fallback.eraseToAnyPublisher()
              case .upstream(let fault): Fail(error: fault).eraseToAnyPublisher()
              }
            }
          )
        )
      },
      Entry("retry with a policy", parameters: [0...3, 0...3], traits: .timed, exemptFrom: pending) { stage in
        let (count, milliseconds, scheduler) = (stage.parameter(0), 5 * stage.parameter(1), stage.scheduler)
        let policy = RetryPolicy.constant(.milliseconds(milliseconds), maxRetries: count)
        stage.present(
          choose(
            provider,
            stage.source().retry(policy, scheduler: scheduler),
            SpecModels.RetryLater(
              stage.source(),
              count: count,
              delay: .milliseconds(milliseconds),
              scheduler: scheduler
            )
          )
        )
      },
    ]
  }

  private enum Expiry: Error {
    case timeout
    case upstream(Fault)
  }
}
