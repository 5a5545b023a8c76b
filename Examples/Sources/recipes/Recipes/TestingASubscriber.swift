import Combine

/// 20: to test the end of a pipeline, use a subject in place of the pipeline's source.
struct TestingASubscriber: Recipe {
  let number = 20
  let title = "Testing a subscriber"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let names = PassthroughSubject<String, Measurement.Failure>()
    let cancellable = Measurement().lengths(of: names)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log("\($0)") })

    names.send("Ada")
    names.send("Grace")
    timeline.expect(["3", "5"])

    names.send("")
    timeline.expect(["failed: emptyName"])

    // No event follows the failure.
    names.send("Barbara")
    names.send(completion: .finished)
    timeline.expect([])
    cancellable.cancel()
  }
}
