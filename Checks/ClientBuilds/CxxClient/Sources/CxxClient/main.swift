import Combine
import CombineExtras
import CombineTesting
import Dispatch
import Thermometer

// What is inlined here of the library calls its C functions: the thread's number and variables, fences, and retaining.

struct Check {
  var failed: [String] = []

  mutating func expect(_ condition: Bool, _ what: String) {
    if !condition { failed.append(what) }
  }
}

var check = Check()
var thermometer = weather.Thermometer(20)

// One thread.
let readings = PassthroughSubject<CInt, Never>()
let level = CurrentValueSubject<CInt, Never>(0)
var received: [CInt] = []
let cancellable = readings.map { $0 * 2 }.merge(with: level.dropFirst())
  .flatMap { Just($0).append($0 + 1) }
  .share()
  .sink { received.append($0) }
readings.send(thermometer.read())
level.send(thermometer.read())
cancellable.cancel()
readings.send(thermometer.read())
check.expect(received == [40, 41, 21, 22], "merge: \(received)")
var all: [CInt] = []
let sequence = thermometer.readings(3).map { $0 }.publisher.sink { all.append($0) }
check.expect(all == [23, 24, 25], "sequence: \(all)")

// Two threads, one of which cancels while the other one sends. That needs the fences.
let numbers = PassthroughSubject<Int, Never>()
let sent = DispatchSemaphore(value: 0)
DispatchQueue.global().async {
  for number in 0..<20_000 { numbers.send(number) }
  sent.signal()
}
for _ in 0..<200 {
  let subscriber = numbers.filter { @Sendable in $0.isMultiple(of: 2) }.sink { @Sendable _ in }
  subscriber.cancel()
}
sent.wait()

// A queue, and a published property, whose publisher is retained while its object may be released.
final class Station: ObservableObject {
  @Published var temperature: CInt = 0
}
let station = Station()
var changes = 0
let announced = station.objectWillChange.sink { changes += 1 }
station.temperature = thermometer.read()
check.expect(changes == 1, "changes: \(changes)")
let delivered = DispatchSemaphore(value: 0)
let onQueue = station.$temperature.receive(on: DispatchQueue(label: "station")).sink { @Sendable temperature in
  if temperature == 26 { delivered.signal() }
}
check.expect(delivered.wait(timeout: .now() + 20) == .success, "receive(on:)")
onQueue.cancel()

// The additions, and the tests.
let scheduler = TestScheduler()
let source = PassthroughSubject<Int, Never>()
var sampled: [Int] = []
let latest = source.share(replay: 1, scope: .whileSubscribed).debounce(for: 5, scheduler: scheduler)
  .sink { sampled.append($0) }
source.send(1)
source.send(2)
scheduler.advance(by: 5)
check.expect(sampled == [2], "debounce: \(sampled)")

print("C++: \(check.failed.isEmpty ? "ok" : check.failed.joined(separator: "; "))")
