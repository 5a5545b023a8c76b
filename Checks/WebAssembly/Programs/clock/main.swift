import CombineCore
import CombineExtras

// Operators with time on the main actor, on a continuous clock. Only the order of events is printed.

let scheduler = ClockScheduler.main
let keys = PassthroughSubject<String, Never>()
var cancellables: Set<AnyCancellable> = []

/// Waits on the scheduler.
func pause(_ milliseconds: Int) async {
  try? await scheduler.sleep(for: .milliseconds(milliseconds))
}

@MainActor func show<P: Publisher>(_ name: String, _ publisher: P) where P.Failure == Never {
  publisher.sink { print("\(name): \($0)") }.store(in: &cancellables)
}

show("debounce", keys.debounce(for: .milliseconds(60), scheduler: scheduler))
show("throttle", keys.throttle(for: .seconds(10), scheduler: scheduler, latest: false))
show("receive(on:)", keys.receive(on: scheduler))
show("collect", keys.collect(.byTimeOrCount(scheduler, .seconds(10), 3)))
for text in ["C", "Co", "Com"] {
  keys.send(text)
  await pause(1)
}
await pause(150)
cancellables = []

show("delay", (1...3).publisher.delay(for: .milliseconds(20), scheduler: scheduler))
show(
  "timeout",
  Empty<Int, TestTimeout>(completeImmediately: false)
    .timeout(.milliseconds(30), scheduler: scheduler) { TestTimeout() }
    .replaceError(with: -1)
)
await pause(100)
cancellables = []

var ticks = 0
let start = scheduler.now
let repetition = scheduler.schedule(after: start.advanced(by: .milliseconds(20)), interval: .milliseconds(20)) {
  ticks += 1
  print("tick", ticks, "not early:", scheduler.now >= start.advanced(by: .milliseconds(20 * ticks)))
}
while ticks < 3 { await pause(5) }
repetition.cancel()
let seen = ticks
await pause(60)
print("ticks after the cancel:", ticks - seen)
for await date in scheduler.timer(interval: .milliseconds(10)).prefix(2) {
  print("timer, not early:", scheduler.now >= date)
}

struct TestTimeout: Error {}
