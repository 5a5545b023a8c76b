#if JetStream
  import Foundation
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// The state of ordered reading, without a server.
  struct OrderedMachineTests {

    private static let now = ContinuousClock.now
    private static let created = Date(timeIntervalSince1970: 1000)

    private static func consumer(
      position: UInt64 = 0,
      count: UInt64 = 0,
      last: UInt64 = 100,
      earlier: UInt64 = 0,
      created: Date = created
    ) -> OrderedMachine.Consumer {
      .init(streamCreated: created, earlierRevision: earlier, lastRevision: last, position: position, count: count)
    }

    /// A machine that reads a consumer and has published the initial entries up to a revision.
    private static func ready(at position: UInt64) -> OrderedMachine {
      var machine = OrderedMachine(start: .lastPerSubject)
      _ = machine.connect()
      _ = machine.didMake(consumer(position: position), for: 1)
      _ = machine.takeReady(of: 1)
      return machine
    }

    @Test func theInitialEntriesEndOnceWithReadyAndThenComeThoseBehind() {
      var machine = OrderedMachine(start: .lastPerSubject)
      #expect(machine.connect() == .init(number: 1, start: .lastPerSubject))
      #expect(machine.didMake(Self.consumer(count: 2), for: 1) == .read(.init(number: 1, initialCount: 2)))
      #expect(machine.take(delivery: 1, revision: 5, of: 1) == .publish)
      #expect(machine.take(delivery: 2, revision: 9, of: 1) == .publish)
      let (isFirst, isSecond) = (machine.takeReady(of: 1), machine.takeReady(of: 1))
      #expect(isFirst && !isSecond)
      #expect(machine.didFinishInitial(of: 1) == .init(number: 2, start: .sequence(9)))
      #expect(machine.didMake(Self.consumer(), for: 2) == .read(.init(number: 2, initialCount: nil)))
    }

    @Test func aConnectionThatIsLostAmongTheInitialEntriesReadsTheNewestAgain() {
      var machine = OrderedMachine(start: .lastPerSubject)
      _ = machine.connect()
      _ = machine.didMake(Self.consumer(count: 3), for: 1)
      _ = machine.take(delivery: 1, revision: 5, of: 1)
      machine.disconnect()
      #expect(machine.take(delivery: 2, revision: 6, of: 1) == .drop)
      let isReady = machine.takeReady(of: 1)
      #expect(!isReady)
      #expect(machine.connect()?.start == .lastPerSubject)
      #expect(machine.didMake(Self.consumer(count: 3), for: 3) == .read(.init(number: 3, initialCount: 3)))
      // What was published before is not published again.
      #expect(machine.take(delivery: 1, revision: 5, of: 3) == .drop)
      #expect(machine.take(delivery: 2, revision: 6, of: 3) == .publish)
    }

    @Test func aLostConnectionGoesOnBehindTheLastRevision() {
      var machine = Self.ready(at: 7)
      machine.disconnect()
      #expect(machine.connect()?.start == .sequence(8))
      _ = machine.didMake(Self.consumer(), for: 3)
      #expect(machine.take(delivery: 1, revision: 8, of: 3) == .publish)
      machine.disconnect()
      // The last message that was published comes again, to be compared.
      #expect(machine.connect()?.start == .sequence(8))
      _ = machine.didMake(Self.consumer(), for: 5)
      #expect(machine.take(delivery: 1, revision: 8, of: 5) == .drop)
      #expect(machine.take(delivery: 2, revision: 9, of: 5) == .publish)
    }

    @Test func anotherMessageWithTheNumberOfTheLastOneFails() {
      var machine = Self.ready(at: 7)
      #expect(machine.take(delivery: 1, revision: 8, time: 500, of: 1) == .publish)
      machine.disconnect()
      _ = machine.connect()
      _ = machine.didMake(Self.consumer(), for: 3)
      guard case .fail(let error) = machine.take(delivery: 1, revision: 8, time: 501, of: 3) else {
        Issue.record("it goes on")
        return
      }
      #expect(error.kind == .noStream)
      #expect(machine.connect() == nil)
    }

    @Test func aWatchOfChangesDoesNotLoseThoseBeforeItsFirstElement() {
      var machine = OrderedMachine(start: .new)
      #expect(machine.connect()?.start == .new)
      #expect(machine.didMake(Self.consumer(position: 40), for: 1) == .read(.init(number: 1, initialCount: 0)))
      machine.disconnect()
      #expect(machine.connect()?.start == .sequence(41))
    }

    @Test func aGapStartsOverBehindTheLastRevision() {
      var machine = Self.ready(at: 7)
      #expect(machine.take(delivery: 1, revision: 8, of: 1) == .publish)
      #expect(machine.take(delivery: 3, revision: 10, of: 1) == .startOver(.init(number: 2, start: .sequence(8))))
      #expect(machine.take(delivery: 4, revision: 11, of: 1) == .drop)
    }

    @Test func aMarkerOfAPurgeThatMayHideOthersIsReadAgain() {
      var machine = Self.ready(at: 7)
      // The next one hides nothing.
      #expect(machine.take(delivery: 1, revision: 8, isPurge: true, of: 1) == .publish)
      #expect(machine.take(delivery: 2, revision: 10, isPurge: false, of: 1) == .publish)
      let step = machine.take(delivery: 3, revision: 13, isPurge: true, of: 1)
      #expect(step == .startOver(.init(number: 2, start: .sequence(10))))
      // It is older than this consumer.
      _ = machine.didMake(Self.consumer(earlier: 13), for: 2)
      #expect(machine.take(delivery: 1, revision: 13, isPurge: true, of: 2) == .publish)
    }

    @Test func aConsumerThatComesTooLateIsDropped() {
      var machine = OrderedMachine(start: .new)
      let first = machine.connect()
      let second = machine.connect()
      #expect(first.map { machine.isLatest($0) } == false)
      #expect(second.map { machine.isLatest($0) } == true)
      #expect(machine.didMake(Self.consumer(), for: 1) == .drop)
      #expect(machine.didNotMake(JetStreamError(.refused), for: 1, at: Self.now) == .wait)
      #expect(machine.didLose(JetStreamError(.closed), for: 1) == .wait)
      #expect(machine.didMake(Self.consumer(), for: 2) == .read(.init(number: 2, initialCount: 0)))
    }

    @Test(arguments: [
      (JetStreamError(.noStream, code: 10059), true), (JetStreamError(.authentication), true),
      (JetStreamError(.refused), true), (JetStreamError(.timedOut), false), (JetStreamError(.notConnected), false),
      (JetStreamError(.noStream, code: 10076), false),
    ])
    func anErrorThatMayPassIsTriedAgain(error: JetStreamError, isFinal: Bool) {
      var machine = OrderedMachine(start: .new)
      _ = machine.connect()
      #expect(machine.didNotMake(error, for: 1, at: Self.now) == (isFinal ? .fail(error) : .wait))
      #expect(machine.tick(at: Self.now + .milliseconds(400)) == nil)
      #expect((machine.tick(at: Self.now + .seconds(1)) == nil) == isFinal)
    }

    @Test func aConsumerThatIsGoneIsMadeAgain() {
      var machine = Self.ready(at: 7)
      let step = machine.didLose(JetStreamError(.noConsumer), for: 1)
      #expect(step == .start(.init(number: 2, start: .sequence(8))))
    }

    @Test(arguments: [(1, 100), (0, 6)])
    func anotherBucketOfTheSameNameFails(secondsLater: Double, last: UInt64) {
      var machine = Self.ready(at: 7)
      machine.disconnect()
      let attempt = machine.connect()
      let making = machine.didMake(
        Self.consumer(last: last, created: Self.created + secondsLater),
        for: attempt?.number ?? 0
      )
      guard case .fail(let error) = making else {
        Issue.record("\(making)")
        return
      }
      #expect(error.kind == .noStream)
      #expect(machine.connect() == nil)
    }

    @Test func nothingFollowsTheEnd() {
      var machine = Self.ready(at: 7)
      let (isFirst, isSecond) = (machine.end(), machine.end())
      #expect(isFirst && !isSecond)
      #expect(machine.connect() == nil)
      #expect(machine.take(delivery: 1, revision: 8, of: 1) == .drop)
      #expect(machine.tick(at: Self.now + .seconds(9)) == nil)
      machine.disconnect()
      #expect(machine.phase == .ended)
    }

    /// A bucket with one revision after another, read through any losses, arrives whole and in order.
    @Test(arguments: 0..<200)
    func eachRevisionIsPublishedOnceAndInOrder(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      var machine = OrderedMachine(start: .all)
      var last: UInt64 = 0
      var published: [UInt64] = []
      var making: OrderedMachine.Attempt?
      var consumer: (number: Int, next: UInt64, delivery: UInt64)?

      func make(_ attempt: OrderedMachine.Attempt) {
        let next: UInt64 = if case .sequence(let sequence) = attempt.start { sequence } else { 1 }
        let made = Self.consumer(position: next - 1, count: last + 1 - next, last: last)
        if case .read = machine.didMake(made, for: attempt.number) { consumer = (attempt.number, next, 0) }
      }
      func deliver() {
        guard let old = consumer, old.next <= last else { return }
        consumer = (old.number, old.next + 1, old.delivery + 1)
        switch machine.take(delivery: old.delivery + 1, revision: old.next, of: old.number) {
        case .publish: published.append(old.next)
        case .drop: break
        case .startOver(let attempt): making = attempt
        case .fail(let error): Issue.record("\(error)")
        }
      }
      for _ in 0..<500 {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: last += 1
        case 2, 3, 4: deliver()
        case 5:
          // A message is lost.
          if let old = consumer, old.next <= last { consumer = (old.number, old.next + 1, old.delivery + 1) }
        case 6: if let attempt = exchange(&making, with: nil) { make(attempt) }
        case 7:
          if Bool.random(using: &random) { machine.disconnect() } else { making = machine.connect() ?? making }
        default:
          if let number = consumer?.number { _ = machine.takeReady(of: number) }
          if let number = consumer?.number, Int.random(in: 0..<4, using: &random) == 0,
            case .start(let attempt) = machine.didLose(JetStreamError(.noConsumer), for: number)
          {
            making = attempt
          }
        }
      }
      if let attempt = machine.connect() { make(attempt) }
      while let number = consumer?.next, number <= last { deliver() }
      #expect(published == Array(1...max(1, last)).prefix(Int(last)).map { $0 })
    }
  }

  extension OrderedMachine {

    /// Takes a message that was stored at a time of its own.
    fileprivate mutating func take(delivery: UInt64, revision: UInt64, isPurge: Bool = false, of number: Int) -> Taking
    {
      take(delivery: delivery, revision: revision, time: Int64(revision), isPurge: isPurge, of: number)
    }
  }
#endif
