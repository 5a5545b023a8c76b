import CombineInspection
import TestSupport
import Testing

@Suite struct AssemblyTests {

  struct Broken: Error {}

  @Test func anErrorNamesThePartsThatItHasPassed() {
    let line = #line
    let publisher = Fail<Int, Broken>(error: Broken())
      .assembly("read")
      .map { $0 * 2 }
      .assembly("price")
    var errors: [AssembledError] = []
    let cancellable = publisher.sink(
      receiveCompletion: { if case .failure(let error) = $0 { errors.append(error) } },
      receiveValue: { _ in }
    )
    #expect(errors.count == 1)
    #expect(errors.first?.underlying is Broken)
    #expect(errors.first?.parts.map(\.name) == ["read", "price"])
    #expect(errors.first?.parts.map(\.place.line) == [line + 2, line + 4])
    #expect(
      errors.first?.description
        == "Broken()\n  at read (AssemblyTests.swift:\(line + 2))\n  at price (AssemblyTests.swift:\(line + 4))"
    )
    _ = cancellable
  }

  @Test func anErasedErrorIsExtendedAndNotWrappedAgain() {
    let publisher = Fail<Int, Broken>(error: Broken())
      .assembly("inner")
      .mapError { $0 as any Error }
      .assembly("outer")
    var parts: [String] = []
    let cancellable = publisher.sink(
      receiveCompletion: { if case .failure(let error) = $0 { parts = error.parts.map(\.name) } },
      receiveValue: { _ in }
    )
    #expect(parts == ["inner", "outer"])
    _ = cancellable
  }

  @Test func valuesPassThrough() {
    let subscriber = RecordingSubscriber<Int, AssembledError>(requesting: .max(2))
    [1, 2, 3].publisher.setFailureType(to: Broken.self).assembly("numbers").subscribe(subscriber)
    #expect(subscriber.values == [1, 2])
  }
}
