import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite(.timeLimit(.minutes(10))) struct AsyncSequencePublisherTests {

  /// A sequence that counts how often it is asked for an element, and at whose doors the iteration waits.
  private struct Counting: AsyncSequence, Sendable {
    let doors: AsyncDoors
    let count: Int
    let error: TestError?

    struct Iterator: AsyncIteratorProtocol {
      let sequence: Counting
      var next = 1
      mutating func next() async throws(TestError) -> Int? {
        try await next(isolation: nil)
      }
      mutating func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Int? {
        await sequence.doors.pass(next)
        guard next <= sequence.count else {
          if let error = sequence.error { throw error }
          return nil
        }
        defer { next += 1 }
        return next
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
  }

  private func openDoors(_ range: ClosedRange<Int>) -> AsyncDoors {
    let doors = AsyncDoors()
    for door in range { doors.open(door) }
    return doors
  }

  @Test func publishesTheElementsAndFinishes() async {
    let probe = AsyncProbe<Int, TestError>(requesting: .unlimited)
    Counting(doors: openDoors(1...4), count: 3, error: nil).publisher.subscribe(probe)
    #expect(await probe.log.first(4) == [.value(1), .value(2), .value(3), .finished])
  }

  @Test func failsWithTheErrorOfTheSequence() async {
    let probe = AsyncProbe<Int, TestError>(requesting: .unlimited)
    Counting(doors: openDoors(1...4), count: 1, error: "wrong").publisher.subscribe(probe)
    #expect(await probe.log.first(2) == [.value(1), .failure("wrong")])
  }

  @Test func aSequenceThatCannotFailIsAPublisherThatCannotFail() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let log = AsyncLog<Int>()
    let cancellable = stream.publisher.assertNever().sink { log.append($0) }
    continuation.yield(1)
    #expect(await log.first(1) == [1])
    cancellable.cancel()
  }

  @Test func pullsOneElementForEachDemandedValue() async {
    let doors = openDoors(1...9)
    let probe = AsyncProbe<Int, TestError>(requesting: .max(2))
    Counting(doors: doors, count: 9, error: nil).publisher.subscribe(probe)
    #expect(await probe.log.first(2) == [.value(1), .value(2)])
    // The third element is asked for after the third request only.
    #expect(doors.log.values == ["arrived 1", "passed 1", "arrived 2", "passed 2"])
    probe.request(.max(1))
    #expect(await probe.log.first(3) == [.value(1), .value(2), .value(3)])
    #expect(doors.log.values.count == 6)
    probe.cancel()
  }

  @Test func nothingIsAskedForWithoutDemand() async {
    let doors = openDoors(1...9)
    let probe = AsyncProbe<Int, TestError>()
    Counting(doors: doors, count: 9, error: nil).publisher.subscribe(probe)
    #expect(doors.log.values == [])
    probe.request(.max(1))
    #expect(await probe.log.first(1) == [.value(1)])
    probe.cancel()
  }

  @Test func aRequestInsideADeliveryIsServed() async {
    let probe = AsyncProbe<Int, TestError>(requesting: .max(1)) { probe, value in
      if value == 1 { probe.request(.max(1)) }
      return value == 2 ? .max(1) : .none
    }
    let doors = openDoors(1...9)
    Counting(doors: doors, count: 9, error: nil).publisher.subscribe(probe)
    #expect(await probe.log.first(3) == [.value(1), .value(2), .value(3)])
    #expect(doors.log.values.count == 6)
    probe.cancel()
  }

  @Test func aCancelCancelsTheTaskAndNothingFollows() async {
    let doors = openDoors(1...1)
    let probe = AsyncProbe<Int, TestError>(requesting: .unlimited)
    Counting(doors: doors, count: 9, error: nil).publisher.subscribe(probe)
    await doors.log.first(3)
    probe.cancel()
    #expect(await doors.log.first(4).last == "cancelled 2")
    #expect(probe.log.values == [.value(1)])
  }

  @Test func eachSubscriptionIteratesAlone() async {
    let publisher = Counting(doors: openDoors(1...4), count: 3, error: nil).publisher
    let first = AsyncProbe<Int, TestError>(requesting: .max(1))
    let second = AsyncProbe<Int, TestError>(requesting: .unlimited)
    publisher.subscribe(first)
    publisher.subscribe(second)
    #expect(await second.log.first(4) == [.value(1), .value(2), .value(3), .finished])
    #expect(await first.log.first(1) == [.value(1)])
    first.request(.max(1))
    #expect(await first.log.first(2) == [.value(1), .value(2)])
    first.cancel()
  }

  /// A task that waits for demand ends with the cancellation, and releases the sequence.
  @Test func aCancelEndsATaskThatWaitsForDemand() async {
    let released = AsyncLog<Bool>()
    do {
      let doors = openDoors(1...9)
      let probe = AsyncProbe<Int, TestError>(requesting: .max(1))
      let token = Token(CallsOnDeinit { released.append(true) })
      Counting(doors: doors, count: 9, error: nil)
        .map { [token] value in withExtendedLifetime(token) { value } }
        .publisher
        .subscribe(probe)
      await probe.log.first(1)
      probe.cancel()
    }
    #expect(await released.first(1) == [true])
  }

  // MARK: Machine

  @Test func theTaskStartsOnceAndWaitsForDemand() {
    var machine = IterationMachine()
    #expect(machine.request(.max(2)) == .start)
    #expect(machine.turn() == .next)
    #expect(machine.request(.max(1)) == .none)
    #expect(machine.turn() == .next)
    #expect(machine.turn() == .next)
    #expect(machine.turn() == .wait)
    #expect(machine.isWaiting)
    #expect(machine.request(.max(1)) == .resume)
    #expect(!machine.isWaiting)
    #expect(machine.turn() == .next)
    machine.end()
    #expect(machine.turn() == .stop)
    #expect(machine.request(.max(1)) == .none)
  }
}

/// An object that is only kept. It is Sendable because nothing in it is used.
final class Token: @unchecked Sendable {

  private let object: AnyObject

  init(_ object: AnyObject) { self.object = object }
}

extension Publisher where Failure == Never {

  /// This publisher, whose failure is known to be `Never` by its type.
  fileprivate func assertNever() -> Self { self }
}
