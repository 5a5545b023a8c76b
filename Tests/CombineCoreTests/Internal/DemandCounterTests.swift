import Dispatch
import Synchronization
import Testing

@testable import CombineCore

@Suite struct DemandCounterTests {

  private final class Shared: Sendable {
    let counter = DemandCounter()
    let taken = Atomic<Int>(0)

    // The macros of the tests copy what a call is made on, and a counter cannot be copied.
    var value: Subscribers.Demand { counter.value }
    func take() -> Bool { counter.take() }
  }

  @Test func givesOutWhatWasAdded() {
    let shared = Shared()
    #expect(!shared.take())
    shared.counter.add(.max(2))
    shared.counter.add(.none)
    #expect(shared.value == .max(2))
    #expect(shared.take())
    #expect(shared.take())
    #expect(!shared.take())
  }

  @Test func unlimitedIsNeverUsedUp() {
    let shared = Shared()
    shared.counter.add(.max(1))
    shared.counter.add(.unlimited)
    for _ in 0..<10 { #expect(shared.take()) }
    shared.counter.add(.max(1))
    #expect(shared.value == .unlimited)
  }

  @Test func threadsTakeExactlyWhatWasAdded() {
    let shared = Shared()
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for _ in 0..<1000 {
        if index == 0 { shared.counter.add(.max(2)) }
        if index != 0, shared.take() { shared.taken.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    #expect(.max(shared.taken.load(ordering: .relaxed)) + shared.value == .max(2000))
  }
}
