import CombineTesting
import Testing

private struct Refused: Error, Hashable {}
private struct Lost: Error, Hashable {}

struct SignalTests {

  @Test func describesItsKindAndContents() {
    #expect("\(Signal<String, Never>.subscription)" == ".subscribe")
    #expect("\(Signal<String, Never>.input("A"))" == ".input(A)")
    #expect("\(Signal<Int?, Never>.input(nil))" == ".input(nil)")
    #expect("\(Signal<Int, Never>.completion(.finished))" == ".completion(finished)")
    let failure = Subscribers.Completion<Refused>.failure(Refused())
    #expect("\(Signal<Int, Refused>.completion(failure))" == ".completion(\(failure))")
  }

  @Test func exposesItsKindAndValue() {
    let signals: [Signal<Int, Refused>] = [
      .subscription, .input(3), .completion(.finished), .completion(.failure(Refused())),
    ]
    #expect(signals.map(\.isCompletion) == [false, false, true, true])
    #expect(signals.map(\.value) == [nil, 3, nil, nil])
  }

  @Test func isComparedByItsParts() {
    let signals: Set<Signal<Int, Refused>> = [
      .subscription, .input(3), .input(4), .completion(.finished), .completion(.failure(Refused())), .input(3),
    ]
    #expect(signals.count == 5)
  }

  @Test func mapsItsParts() {
    let signals: [Signal<Int, Refused>] = [
      .subscription, .input(3), .completion(.finished), .completion(.failure(Refused())),
    ]
    #expect(
      signals.map { $0.mapInput { "\($0)" } }
        == [.subscription, .input("3"), .completion(.finished), .completion(.failure(Refused()))]
    )
    #expect(
      signals.map { $0.mapFailure { _ in Lost() } }
        == [.subscription, .input(3), .completion(.finished), .completion(.failure(Lost()))]
    )
  }
}

struct TestSequenceTests {

  private let sequence: TestSequence<Int, Refused> = [
    (200, .subscription),
    (300, .input(1)),
    (400, .completion(.failure(Refused()))),
  ]

  @Test func isAnArrayOfPairs() {
    #expect(sequence.count == 3)
    #expect(sequence[1] == (300, .input(1)))
    #expect(sequence.map(\.0) == [200, 300, 400])
    #expect(sequence.first?.1 == .subscription)
    #expect(TestSequence<Int, Refused>().isEmpty)
  }

  @Test func isComparedByTimesAndSignals() {
    #expect(sequence == [(200, .subscription), (300, .input(1)), (400, .completion(.failure(Refused())))])
    #expect(sequence != [(201, .subscription), (300, .input(1)), (400, .completion(.failure(Refused())))])
    #expect(sequence != [(200, .subscription), (300, .input(2)), (400, .completion(.failure(Refused())))])
    #expect(sequence != [(200, .subscription), (300, .input(1)), (400, .completion(.finished))])
    #expect(sequence != [(200, .subscription), (300, .input(1))])
  }

  @Test func isMutableAsAnArray() {
    var built = TestSequence<Int, Refused>([(200, .subscription)])
    built.append((301, .input(1)))
    built[1] = (300, .input(1))
    built += [(400, .completion(.failure(Refused())))]
    #expect(built == sequence)
    built.removeAll { $0.1.isCompletion }
    #expect(built == TestSequence(sequence.prefix(2)))
  }

  @Test func mapsItsParts() {
    #expect(
      sequence.mapInput { "\($0)" }
        == [(200, .subscription), (300, .input("1")), (400, .completion(.failure(Refused())))]
    )
    #expect(
      sequence.mapFailure { _ in Lost() }
        == [(200, .subscription), (300, .input(1)), (400, .completion(.failure(Lost())))]
    )
  }

  @Test func describesItselfAsInCode() {
    let sequence: TestSequence<String, Never> = [(200, .subscription), (300, .input("A"))]
    #expect(
      "\(sequence)" == """
        [
          (200, .subscription),
          (300, .input("A")),
        ]
        """
    )
    #expect("\(TestSequence<String, Never>())" == "[]")
  }
}

struct DemandLedgerTests {

  private let ledger: DemandLedger<VirtualTime> = [
    (200, .max(1), .credit(amount: .max(1))),
    (210, .max(0), .debit(authorized: true)),
    (220, .none, .debit(authorized: false)),
    (230, .unlimited, .credit(amount: .unlimited)),
  ]

  @Test func isAnArrayOfEntries() {
    #expect(ledger.count == 4)
    #expect(ledger[2] == (220, .none, .debit(authorized: false)))
    #expect(DemandLedger<VirtualTime>().isEmpty)
    var built = DemandLedger(ledger.prefix(3))
    #expect(built != ledger)
    built.append((230, .unlimited, .credit(amount: .unlimited)))
    #expect(built == ledger)
    built[0] = (201, .max(1), .credit(amount: .max(1)))
    #expect(built != ledger)
  }

  @Test func isComparedByAllParts() {
    let one: DemandLedger<VirtualTime> = [(200, .max(1), .credit(amount: .max(1)))]
    #expect(one != [(201, .max(1), .credit(amount: .max(1)))])
    #expect(one != [(200, .max(2), .credit(amount: .max(1)))])
    #expect(one != [(200, .max(1), .credit(amount: .max(2)))])
    #expect(one != [(200, .max(1), .debit(authorized: true))])
  }

  @Test func transactionsDescribeThemselves() {
    #expect(
      ledger.map(\.2.debugDescription) == [".credit(.max(1))", ".debit(true)", ".debit(false)", ".credit(.unlimited)"]
    )
  }

  @Test func describesItselfAsInCode() {
    #expect(
      "\(ledger)" == """
        [
          (200, .max(1), .credit(amount: .max(1))),
          (210, .none, .debit(authorized: true)),
          (220, .none, .debit(authorized: false)),
          (230, .unlimited, .credit(amount: .unlimited)),
        ]
        """
    )
  }
}
