import Combine

/// 1: `sink` subscribes with closures: one if the publisher cannot fail, and two if it can.
struct SubscribeWithSink: Recipe {
  let number = 1
  let title = "Subscribe with sink"

  struct NotANumber: Error {
    let text: String
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    // A publisher whose failure type is Never needs one closure.
    var subscriptions: Set<AnyCancellable> = []
    ["a", "b", "c"].publisher
      .sink { letter in timeline.log("letter \(letter)") }
      .store(in: &subscriptions)
    timeline.expect(["letter a", "letter b", "letter c"])

    // Of two closures, the first receives the completion.
    for texts in [["1", "2"], ["3", "four", "5"]] {
      texts.publisher
        .tryMap { text in
          guard let number = Int(text) else { throw NotANumber(text: text) }
          return number
        }
        .sink(
          receiveCompletion: { completion in
            switch completion {
            case .finished: timeline.log("finished")
            case .failure(let error): timeline.log("failed: \(error)")
            }
          },
          receiveValue: { number in timeline.log("number \(number)") }
        )
        .store(in: &subscriptions)
    }
    timeline.expect([
      "number 1", "number 2", "finished",
      "number 3", "failed: NotANumber(text: \"four\")",
    ])

    // After `cancel()`, no values arrive.
    let temperatures = PassthroughSubject<Double, Never>()
    let subscription = temperatures.sink { timeline.log("\($0) °C") }
    temperatures.send(19.5)
    temperatures.send(20)
    subscription.cancel()
    temperatures.send(21)
    timeline.expect(["19.5 °C", "20.0 °C"])
  }
}
