import ClientLibrary
import Combine
import Testing

/// A library that declares its own `Optional.publisher`, used beside `Combine`.
@Suite struct OptionalPublisherTests {

  @Test func theClientsOwnDeclarationIsPreferred() {
    var log: [String] = []
    let some = Optional(1).publisher
      .sink(receiveCompletion: { _ in log.append("end") }, receiveValue: { log.append("\($0)") })
    #expect(log == ["1", "end"])
    // The library's publisher finishes at once.
    let none = Int?.none.publisher.map { $0 + 1 }
      .sink(receiveCompletion: { _ in log.append("end of nothing") }, receiveValue: { log.append("\($0)") })
    #expect(log == ["1", "end"])
    withExtendedLifetime((some, none)) {}
  }

  @Test func combinesDeclarationIsFoundByItsType() {
    var values: [Int] = []
    let publisher: Int?.Publisher = Optional(1).publisher
    let cancellable = publisher.sink { values.append($0) }
    #expect(values == [1])
    withExtendedLifetime(cancellable) {}
  }
}
