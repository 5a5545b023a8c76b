import Combine
import CombineExtras
import CombineTesting
import TestSupport

private typealias Upstream = ManualPublisher<Int, TestError>

// The argument checks of `CombineExtras`. The initializers of the publishers check, so that neither the operator nor the
// initializer lets a mistake pass.

extension Trap {

  static let extras = extraDemand + extraArguments + extraTimes + trampoline

  // MARK: Zero requests

  // What consists of Combine's publishers traps as they do, under their names.
  private static let extraDemand: [Trap] = [
    zero("PassthroughSubject") { PassthroughRelay<Int>() },
    zero("CurrentValueSubject") { CurrentValueRelay(1) },
    zero("Catch") { Upstream().ignoreFailure() },
    zero("SwitchToLatest") { Upstream().flatMapLatest { _ in Upstream() } },
    zero("FlatMap") { Upstream().concatMap { _ in Upstream() } },
    zero("FlatMap") { Upstream().exhaustMap { _ in Upstream() } },
    zero("Zip") { [Upstream(), Upstream()].zip() },
    zero("CombineLatest") { [Upstream(), Upstream()].combineLatest() },
  ]

  // MARK: Numbers

  private static let extraArguments = [
    Trap("CollectByStep", "count must be positive, is 0") { _ = Upstream().collect(0, every: 1) },
    Trap("CollectByStep", "step must be positive, is 0") { _ = Upstream().collect(1, every: 0) },
    Trap("WindowByCount", "count must be positive, is 0") { _ = Upstream().window(0) },
    Trap("WindowByCount", "step must be positive, is -1") { _ = Upstream().window(1, every: -1) },
    Trap("GroupBy", "maxGroups must be positive, is 0") { _ = Upstream().groupBy(maxGroups: 0) { $0 } },
    Trap("Suffix", "maxLength must not be negative, is -1") { _ = Upstream().suffix(-1) },
    Trap("DropLast", "count must not be negative, is -1") { _ = Upstream().dropLast(-1) },
    Trap("RateLimit", "count must be positive, is 0") {
      _ = Upstream().rateLimit(0, per: 1, scheduler: TestScheduler())
    },
    Trap("AsyncMap", "maxConcurrent must be positive, is 0") { _ = Upstream().asyncMap(maxConcurrent: 0) { $0 } },
    Trap("TryAsyncMap", "maxConcurrent must be positive, is -2") {
      _ = Upstream().tryAsyncMap(maxConcurrent: -2) { $0 }
    },
  ]

  // MARK: Times

  private static let extraTimes = [
    Trap("CollectByInterval", "duration must not be negative, is -1") {
      _ = Upstream().collect(for: -1, scheduler: TestScheduler())
    },
    Trap("CollectByInterval", "interval must not be negative, is -2") {
      _ = Upstream().collect(for: 1, every: -2, scheduler: TestScheduler())
    },
    Trap("CollectByInterval", "maxCount must be positive, is 0") {
      _ = Upstream().collect(for: 1, maxCount: 0, scheduler: TestScheduler())
    },
    Trap("WindowByTime", "duration must not be negative, is -1") {
      _ = Upstream().window(for: -1, scheduler: TestScheduler())
    },
    Trap("WindowByTime", "interval must not be negative, is -2") {
      _ = Upstream().window(for: 1, every: -2, scheduler: TestScheduler())
    },
    Trap("WindowByTime", "maxCount must be positive, is 0") {
      _ = Upstream().window(for: 1, maxCount: 0, scheduler: TestScheduler())
    },
  ]

  // MARK: A scheduler that cannot delay

  private static let trampoline = [
    Trap("TrampolineScheduler", cannotDelay) {
      TrampolineScheduler.shared.schedule(after: TrampolineScheduler.shared.now) {}
    },
    Trap("TrampolineScheduler", cannotDelay) {
      _ = TrampolineScheduler.shared.schedule(after: TrampolineScheduler.shared.now, interval: 1) {}
    },
  ]

  private static let cannotDelay = "an action cannot be delayed. Use another scheduler."
}
