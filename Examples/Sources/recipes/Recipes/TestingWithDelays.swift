import Combine
import Dispatch

/// 21: values are sent with real delays, on a queue, and the test waits for the end. Recipe 22 avoids the wait.
struct TestingWithDelays: Recipe {
  let number = 21
  let title = "Testing with real delays"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let queue = DispatchQueue(label: "recipe 21")
    let names = PassthroughSubject<String, Measurement.Failure>()
    // The test receives the values that it compares on the main queue.
    let cancellable = Measurement().lengths(of: names)
      .receive(on: DispatchQueue.main)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("\($0)") })

    for (number, name) in ["Ada", "Grace", ""].enumerated() {
      queue.asyncAfter(deadline: .now() + .milliseconds(20 * (number + 1))) { names.send(name) }
    }
    try timeline.wait(for: "failed: emptyName")
    timeline.expect(["3", "5", "failed: emptyName"])
    cancellable.cancel()
  }
}
