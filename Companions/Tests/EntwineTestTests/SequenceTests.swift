import EntwineTest
import Testing

@Suite struct SequenceTests {

  private struct Refused: Error, Equatable {}

  @Test func aTestSequenceIsACollection() {
    var sequence = TestSequence<Int, Refused>()
    sequence.append((100, .subscription))
    sequence += [(200, .input(1)), (300, .completion(.failure(Refused())))]
    #expect(sequence == [(100, .subscription), (200, .input(1)), (300, .completion(.failure(Refused())))])
    #expect(sequence != [(100, .subscription), (200, .input(2)), (300, .completion(.failure(Refused())))])
    sequence[1] = (250, .input(3))
    sequence.replaceSubrange(0...0, with: [(50, .subscription), (60, .input(0))])
    #expect(sequence.map(\.0) == [50, 60, 250, 300])
    #expect(TestSequence(sequence.dropLast(2)) == [(50, .subscription), (60, .input(0))])
  }

  @Test func valuesAndErrorsCanBeMapped() {
    let sequence: TestSequence<Int, Refused> = [(200, .input(1)), (300, .completion(.failure(Refused())))]
    let texts: TestSequence<String, Refused> = [(200, .input("1")), (300, .completion(.failure(Refused())))]
    #expect(sequence.mapInput { "\($0)" } == texts)
    #expect(sequence.mapFailure { _ in Refused() } == sequence)
  }

  @Test func aDemandLedgerIsACollection() {
    var ledger = DemandLedger<VirtualTime>()
    ledger.append((100, .max(1), .credit(amount: .max(1))))
    ledger += [(200, .none, .debit(authorized: true))]
    ledger[1] = (250, .none, .debit(authorized: false))
    let expected: DemandLedger<VirtualTime> = [
      (100, .max(1), .credit(amount: .max(1))), (250, .none, .debit(authorized: false)),
    ]
    #expect(ledger == expected)
    #expect(DemandLedger(ledger.dropLast()) != expected)
  }

  @Test func transactionsDescribeThemselves() {
    typealias Transaction = DemandLedger<VirtualTime>.Transaction<VirtualTime>
    let transactions: [Transaction] = [
      .credit(amount: .max(2)), .credit(amount: .unlimited), .debit(authorized: true),
    ]
    #expect(transactions.map(\.debugDescription) == [".credit(.max(2))", ".credit(.unlimited)", ".debit(true)"])
  }

  @Test func signalsDescribeThemselves() {
    let signals: [Signal<String, Never>] = [.subscription, .input("x"), .completion(.finished)]
    #expect(signals.map(\.debugDescription) == [".subscribe", ".input(x)", ".completion(finished)"])
  }
}
