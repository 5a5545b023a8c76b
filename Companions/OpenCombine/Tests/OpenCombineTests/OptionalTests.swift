import OpenCombine
import Testing

@Suite struct OptionalTests {

  @Test func publishesTheValueAndFinishes() {
    var events: [String] = []
    let sink = Optional("a").ocombine.publisher
      .sink(receiveCompletion: { events.append("\($0)") }, receiveValue: { events.append($0) })
    #expect(events == ["a", "finished"])
    sink.cancel()
  }

  @Test func finishesWithoutAValue() {
    var events: [String] = []
    let sink = String?.none.ocombine.publisher
      .sink(receiveCompletion: { events.append("\($0)") }, receiveValue: { events.append($0) })
    #expect(events == ["finished"])
    sink.cancel()
  }

  @Test func thePublisherIsTheOneOfTheOptionalItself() {
    let publisher: Optional<Int>.OCombine.Publisher = Optional(1).publisher
    #expect(publisher == Optional(1).ocombine.publisher)
    #expect(publisher.map { $0 + 1 } == Optional<Int>.OCombine.Publisher(2))
  }
}
