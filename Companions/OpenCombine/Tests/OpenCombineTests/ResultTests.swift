import OpenCombine
import Testing

@Suite struct ResultTests {

  private struct Refused: Error, Equatable {}

  @Test func publishesASuccessAndFinishes() {
    var events: [String] = []
    let sink = Result<String, Refused>.success("a").ocombine.publisher
      .sink(receiveCompletion: { events.append("\($0)") }, receiveValue: { events.append($0) })
    #expect(events == ["a", "finished"])
    sink.cancel()
  }

  @Test func failsWithTheError() {
    var completions: [Subscribers.Completion<Refused>] = []
    let sink = Result<String, Refused>.failure(Refused()).ocombine.publisher
      .sink(receiveCompletion: { completions.append($0) }, receiveValue: { _ in Issue.record("there is no value") })
    #expect(completions == [.failure(Refused())])
    sink.cancel()
  }

  @Test func thePublisherIsTheOneOfTheResultItself() {
    let result = Result<Int, Refused>.success(1)
    let publisher: Result<Int, Refused>.OCombine.Publisher = result.publisher
    #expect(publisher == result.ocombine.publisher)
    #expect(publisher.map { $0 + 1 } == Result<Int, Refused>.OCombine.Publisher(2))
  }
}
