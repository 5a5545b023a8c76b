import Testing

@Suite struct ExplorerTests {

  /// A counter of demand that loses a request made during the delivery of a value.
  private struct BrokenCounter {
    var demand = 0
    var isDelivering = false
    var requested = 0
    var delivered = 0

    enum Event: CaseIterable {
      case request, value, delivered
    }

    mutating func step(_ event: Event) -> String {
      switch event {
      case .request:
        requested += 1
        if !isDelivering { demand += 1 }
        return "demand \(demand)"
      case .value:
        guard demand > 0, !isDelivering else { return "drop" }
        demand -= 1
        delivered += 1
        isDelivering = true
        return "deliver"
      case .delivered:
        isDelivering = false
        return ""
      }
    }
  }

  private typealias CounterExplorer = Explorer<BrokenCounter, BrokenCounter.Event, String>

  private func explorer(_ invariants: [CounterExplorer.Invariant]) -> CounterExplorer {
    Explorer(alphabet: { _ in BrokenCounter.Event.allCases }, step: { $0.step($1) }, invariants: invariants)
  }

  private let neverForgets = CounterExplorer.Invariant("no request is forgotten") { state, _ in
    state.demand == state.requested - state.delivered
  }

  @Test func walksEverySequence() {
    let outcome = explorer([]).explore(from: BrokenCounter(), depth: 4)
    #expect(outcome.sequenceCount == 3 + 9 + 27 + 81)
    #expect(outcome.violation == nil)
  }

  @Test func findsTheShortestSequenceThatBreaksAMachine() throws {
    let outcome = explorer([neverForgets]).explore(from: BrokenCounter(), depth: 7)
    let violation = try #require(outcome.violation)
    #expect(
      violation.table == """
        violated: no request is forgotten
        1 | request | demand 1
        2 | value   | deliver
        3 | request | demand 0
        """
    )
  }

  @Test func doesNotFindAViolationBeyondItsDepth() {
    #expect(explorer([neverForgets]).explore(from: BrokenCounter(), depth: 2).violation == nil)
  }

  @Test func anInvariantReadsTheHistory() throws {
    let explorer = explorer([.init("not dropped twice") { $1.filter { $0.action == "drop" }.count < 2 }])
    let violation = try #require(explorer.explore(from: BrokenCounter(), depth: 3).violation)
    #expect(violation.history.map(\.event) == [.value, .value])
  }

  @Test func theAlphabetMayDependOnTheState() {
    let explorer = CounterExplorer(
      alphabet: { $0.isDelivering ? [.delivered] : [.request, .value] },
      step: { $0.step($1) },
      invariants: [neverForgets]
    )
    let outcome = explorer.explore(from: BrokenCounter(), depth: 5)
    #expect(outcome.violation == nil)
    #expect(outcome.sequenceCount == 2 + 4 + 7 + 12 + 21)
  }

  @Test func aMachineThatCannotBeCopiedIsMadeAgain() {
    final class Sum { var value = 0 }
    let replayed = Replayed<Sum, Int, Int>(make: Sum.init) { sum, number in
      sum.value += number
      return sum.value
    }
    let explorer = Explorer<Replayed<Sum, Int, Int>, Int, Int>(
      alphabet: { _ in [1, 10] },
      step: { $0.step($1) },
      invariants: [.init("the sum of all events") { $1.last?.action == $1.reduce(0) { $0 + $1.event } }]
    )
    let outcome = explorer.explore(from: replayed, depth: 4)
    #expect(outcome.sequenceCount == 30)
    #expect(outcome.violation == nil)
  }
}

@Suite struct InterleavingsTests {

  /// A counter that two threads increment, with a point between the read and the write where another thread may run.
  private func counting(_ box: Box<Int>, raiseAtOnce: Bool) -> () -> Void {
    {
      if raiseAtOnce { return box.value += 1 }
      let seen = box.value
      Interleavings.point("has seen \(seen)")
      box.value = seen + 1
    }
  }

  private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private func interleavings(raiseAtOnce: Bool, preemptions: Int) -> Interleavings {
    Interleavings(preemptions: preemptions) {
      let box = Box(0)
      return ThreadedProgram(
        threads: [counting(box, raiseAtOnce: raiseAtOnce), counting(box, raiseAtOnce: raiseAtOnce)],
        faults: { box.value == 2 ? [] : ["counted \(box.value)"] }
      )
    }
  }

  @Test func findsTheThreadOrderThatLosesAChange() {
    let outcome = interleavings(raiseAtOnce: false, preemptions: 1).run()
    #expect(outcome.faults == ["counted 1"])
    #expect(outcome.steps == ["thread 1 | has seen 0", "thread 2 | has seen 0"])
  }

  @Test func runsEachThreadOrderOnce() {
    let orders = Box<[String]>([])
    let outcome = Interleavings(preemptions: 8) {
      let order = Box("")
      return ThreadedProgram(
        threads: ["a", "b"].map { name in
          {
            order.value += name
            Interleavings.point(name)
            order.value += name
          }
        },
        faults: {
          orders.value.append(order.value)
          return []
        }
      )
    }.run()
    #expect(outcome.count == 6)
    #expect(Set(orders.value) == ["aabb", "abab", "abba", "baab", "baba", "bbaa"])
  }

  @Test func takesNoMorePreemptionsThanAllowed() {
    #expect(interleavings(raiseAtOnce: false, preemptions: 0).run().faults == [])
    #expect(interleavings(raiseAtOnce: true, preemptions: 8).run().faults == [])
  }
}
