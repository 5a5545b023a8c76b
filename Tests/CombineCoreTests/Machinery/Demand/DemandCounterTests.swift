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
    func end() -> Bool { counter.end() }
    var hasEnded: Bool { counter.hasEnded }
    var isUnlimited: Bool { counter.isUnlimited }
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

  @Test(arguments: [.none, .max(3), .max(.max), .unlimited] as [Subscribers.Demand])
  func afterItsEndThereIsNoneAndTheLastIsRemembered(demand: Subscribers.Demand) {
    let shared = Shared()
    shared.counter.add(demand)
    #expect(!shared.hasEnded)
    #expect(shared.end())
    #expect(shared.hasEnded && !shared.isUnlimited)
    #expect(!shared.end())
    for more in [Subscribers.Demand.max(1), .unlimited] {
      shared.counter.add(more)
      #expect(!shared.take())
      #expect(shared.hasEnded && !shared.isUnlimited)
    }
    // There is no room for all that there are and an end: the greatest are shown as unlimited.
    #expect(shared.value == (demand == .max(.max) ? .unlimited : demand))
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
