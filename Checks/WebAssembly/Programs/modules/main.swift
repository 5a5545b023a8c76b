import Combine
import CombineExtras
import CombineInspection
import CombineTesting

// What each module does where there is neither Foundation nor Dispatch, and where an Int has 32 bits.

// MARK: Demand at its limits

typealias Demand = Subscribers.Demand

let greatest = Demand.max(.max)
print("greatest + 1 is unlimited:", greatest + 1 == .unlimited, greatest + greatest == .unlimited)
print("greatest * 2 is unlimited:", greatest * 2 == .unlimited)
print("greatest - greatest:", greatest - greatest, "unlimited - 1:", Demand.unlimited - 1)
print("greatest < unlimited:", greatest < .unlimited, "max of unlimited:", Demand.unlimited.max as Any)
let buffered = (1...5).publisher.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest).collect(.max)
let collected = buffered.sink { print("collected", $0) }
for await value in (1...3).publisher.prefix(.max).values { print("value", value) }

// MARK: Intervals beyond the nanoseconds of 32 bits

for seconds in [2, 3, 86400] {
  print(seconds, "s:", ClockInterval.seconds(seconds).duration, VirtualTimeInterval.seconds(seconds).ticks)
}
let delays = TestScheduler()
let delayed = Just("a minute later").delay(for: .seconds(60), scheduler: delays).sink { print(delays.now, $0) }
delays.resume()

// MARK: Extras

TrampolineScheduler.shared.schedule {
  TrampolineScheduler.shared.schedule { print("second") }
  print("first")
}
let replay = ReplaySubject<Int, Never>(replaying: 2)
for value in 1...3 { replay.send(value) }
let replayed = replay.sink { print("replayed", $0) }
let words = ["a", "bb", "c", "dd"].publisher.groupBy(\.count)
  .flatMap { group in group.collect().map { "\(group.key): \($0)" } }
  .sink { print($0) }

// MARK: Tests

marbles {
  "ab--c--|"
  $0[0].debounce(for: 2, scheduler: $0.scheduler)
  "---b--c|"
}
print("a marble diagram holds")

// MARK: Inspection

Inspection.start()
let inspected = PassthroughSubject<Int, Never>()
let living = inspected.map { $0 * 2 }.inspect("doubled").sink { print("inspected", $0) }
inspected.send(21)
print("living subscriptions:", Inspection.living.count)
living.cancel()
print("living subscriptions:", Inspection.living.count)
Inspection.stop()
withExtendedLifetime((collected, delayed, replayed, words)) {}
