import CombineCore

// Nanoseconds for each element. The least of nine rounds.

func measure(_ name: String, _ count: Int, _ body: () -> Void) {
  let clock = ContinuousClock()
  let least = (0..<9).map { _ in clock.measure(body) }.min()!
  let tenths = Int64(least / .nanoseconds(1) * 10 / Double(count))
  print("\(name): \(tenths / 10).\(tenths % 10) ns")
}

final class Model: ObservableObject {
  @Published var value = 0
}

/// In a function: global variables cost more than the pipelines.
func measureAll(_ count: Int) -> Int {
  var sum = 0
  measure("sequence → map → filter → sink", count) {
    _ = (0..<count).publisher.map { $0 &* 3 }.filter { $0 & 1 == 0 }.sink { sum &+= $0 }
  }
  let subject = PassthroughSubject<Int, Never>()
  let cancellable = subject.map { $0 &+ 1 }.sink { sum &+= $0 }
  measure("subject → map → sink", count) { for value in 0..<count { subject.send(value) } }
  let model = Model()
  let observing = model.$value.sink { sum &+= $0 }
  measure("@Published property → sink", count) { for value in 0..<count { model.value = value } }
  return withExtendedLifetime((cancellable, observing)) { sum }
}

_ = measureAll(200_000)
