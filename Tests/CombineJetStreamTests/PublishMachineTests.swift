#if JetStream
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// The state of publishes that wait for an acknowledgement, without a server.
  struct PublishMachineTests {

    private typealias Machine = PublishMachine<Int>

    private static let now = ContinuousClock.now

    private static func machine(isConnected: Bool = true) -> Machine {
      var machine = Machine(patience: .seconds(5))
      machine.begin(isConnected: isConnected)
      return machine
    }

    @Test func aMessageIsSentAtOnceAndAnsweredOnce() throws {
      var machine = Self.machine()
      let added = machine.add(7, isRepeatable: true, expiry: nil, at: Self.now)
      #expect(added?.number == 1)
      #expect(added?.isToBeSent == true)
      #expect(machine.count == 1)
      #expect(machine.remove(1) == 7)
      #expect(machine.remove(1) == nil)
      machine.noteUnheard(1, at: Self.now)
      #expect(machine.remove(99) == nil)
      #expect(machine.tick(at: Self.now + .seconds(60)).sends.isEmpty)
    }

    @Test func withoutAConnectionAMessageIsSentWhenThereIsOne() {
      var machine = Self.machine(isConnected: false)
      #expect(machine.add(7, isRepeatable: false, expiry: nil, at: Self.now)?.isToBeSent == false)
      #expect(machine.tick(at: Self.now + .seconds(60)).sends.isEmpty)
      #expect(machine.reconnect(at: Self.now).map(\.message) == [7])
      // It may be stored now, and has no id by which a second copy is known.
      machine.disconnect(at: Self.now)
      #expect(machine.reconnect(at: Self.now).isEmpty)
    }

    /// A full disk passes, so the message is sent again, and the reason is told after a while.
    @Test func aMessageThatIsNotStoredForAReasonThatPassesIsSentAgain() {
      var machine = Self.machine()
      let full = JetStreamError(status: 503, code: 10023, text: "insufficient resources")
      #expect(machine.add(7, isRepeatable: true, expiry: nil, at: Self.now)?.number == 1)
      let waits = machine.noteNotStored(1, full)
      #expect(waits)
      #expect(machine.tick(at: Self.now + .milliseconds(900)).sends.isEmpty)
      #expect(machine.tick(at: Self.now + .seconds(1)).sends.map(\.message) == [7])
      let waitsAgain = machine.noteNotStored(1, full)
      #expect(waitsAgain)
      // The delay doubles.
      #expect(machine.tick(at: Self.now + .milliseconds(2900)).sends.isEmpty)
      #expect(machine.tick(at: Self.now + .seconds(3)).sends.map(\.message) == [7])
      let overdue = machine.tick(at: Self.now + .seconds(5)).overdue
      #expect(overdue == .init(count: 1, time: .seconds(5), reason: full))
      // The server was silent since then.
      #expect(machine.tick(at: Self.now + .seconds(10)).overdue?.reason == nil)
      #expect(machine.remove(1) == 7)
      let isKnown = machine.noteNotStored(1, full)
      #expect(!isKnown)
    }

    /// A server that hangs is left and connected to again and again. The time with a connection counts.
    @Test func aMessageIsOverdueAlthoughTheConnectionIsMadeAgain() {
      var machine = Self.machine()
      _ = machine.add(7, isRepeatable: true, expiry: nil, at: Self.now)
      for second in [3, 13] {
        machine.disconnect(at: Self.now + .seconds(second))
        _ = machine.add(second, isRepeatable: true, expiry: nil, at: Self.now + .seconds(second + 4))
        #expect(machine.tick(at: Self.now + .seconds(second + 5)).overdue == nil)
        _ = machine.reconnect(at: Self.now + .seconds(second + 7))
      }
      // Three seconds before the first loss, three before the second one, and since the 20th.
      #expect(machine.tick(at: Self.now + .seconds(20)).overdue == .init(count: 1, time: .seconds(6), reason: nil))
    }

    @Test func aMessageThatMayNotWaitFailsWithTheReason() {
      var machine = Self.machine()
      let full = JetStreamError(status: 503, code: 10023, text: "insufficient resources")
      // One without an id, and one with a time to give up.
      _ = machine.add(1, isRepeatable: false, expiry: Self.now + .seconds(5), at: Self.now)
      _ = machine.add(2, isRepeatable: true, expiry: Self.now + .seconds(5), at: Self.now)
      let waits = [machine.noteNotStored(1, full), machine.noteNotStored(2, full)]
      #expect(waits == [false, false])
    }

    @Test(arguments: [
      (10023, "insufficient resources", true), (10047, "insufficient storage resources available", true),
      (10077, "write: no space left on device", true), (10077, "maximum messages exceeded", false),
      (10077, "maximum bytes exceeded", false), (10002, "resource limits exceeded for account", false),
      (10054, "message size exceeds maximum allowed", false), (10071, "wrong last sequence: 1", false),
    ])
    func whatPasses(code: Int, text: String, passes: Bool) {
      #expect(JetStreamError(status: 503, code: code, text: text).isPassing == passes)
    }

    @Test(arguments: [true, false])
    func aChangeOfTheConnectionWinsOverItsStateAtTheBeginning(comesFirst: Bool) {
      var reconnected = Machine(patience: .seconds(5))
      var disconnected = reconnected
      if !comesFirst {
        reconnected.begin(isConnected: false)
        disconnected.begin(isConnected: true)
      }
      #expect(reconnected.reconnect(at: Self.now).isEmpty)
      disconnected.disconnect(at: Self.now)
      if comesFirst {
        reconnected.begin(isConnected: false)
        disconnected.begin(isConnected: true)
      }
      #expect(reconnected.add(7, isRepeatable: true, expiry: nil, at: Self.now)?.isToBeSent == true)
      #expect(disconnected.add(7, isRepeatable: true, expiry: nil, at: Self.now)?.isToBeSent == false)
    }

    @Test func aMessageWithAnIdIsSentAgainEachSecondAndAfterEachReconnect() {
      var machine = Self.machine()
      for message in [1, 2, 3] { _ = machine.add(message, isRepeatable: message != 2, expiry: nil, at: Self.now) }
      #expect(machine.tick(at: Self.now + .milliseconds(900)).sends.isEmpty)
      #expect(machine.tick(at: Self.now + .seconds(1)).sends.map(\.message) == [1, 3])
      #expect(machine.tick(at: Self.now + .milliseconds(1900)).sends.isEmpty)
      machine.disconnect(at: Self.now)
      #expect(machine.tick(at: Self.now + .seconds(60)).sends.isEmpty)
      #expect(machine.reconnect(at: Self.now + .seconds(60)).map(\.message) == [1, 3])
    }

    @Test func aMessageExpiresOnceWhetherThereIsAConnectionOrNot() {
      for isConnected in [true, false] {
        var machine = Self.machine(isConnected: isConnected)
        _ = machine.add(7, isRepeatable: true, expiry: Self.now + .seconds(5), at: Self.now)
        #expect(machine.tick(at: Self.now + .milliseconds(4900)).expired.isEmpty)
        let due = machine.tick(at: Self.now + .seconds(5))
        #expect(due.expired == [7])
        #expect(due.sends.isEmpty)
        #expect(machine.tick(at: Self.now + .seconds(6)).expired.isEmpty)
      }
    }

    @Test func noStreamIsBelievedAfterAWhileAndALookUpOnly() {
      var machine = Self.machine()
      _ = machine.add(7, isRepeatable: true, expiry: nil, at: Self.now)
      machine.noteUnheard(1, at: Self.now)
      #expect(machine.didLookUp(1, isMissing: true, at: Self.now) == nil)
      #expect(machine.tick(at: Self.now + .milliseconds(250)).sends.map(\.message) == [7])
      machine.noteUnheard(1, at: Self.now + .milliseconds(4900))
      #expect(machine.tick(at: Self.now + .milliseconds(4900)).doubtful.isEmpty)
      let due = machine.tick(at: Self.now + .seconds(5))
      #expect(due.doubtful.map(\.message) == [7])
      // Once at a time, and nothing is sent meanwhile.
      let later = machine.tick(at: Self.now + .seconds(6))
      #expect(later.doubtful.isEmpty)
      #expect(later.sends.isEmpty)
      // The servers elect a leader: the message goes on.
      #expect(machine.didLookUp(1, isMissing: false, at: Self.now + .seconds(6)) == nil)
      #expect(machine.tick(at: Self.now + .seconds(7)).sends.map(\.message) == [7])
      #expect(machine.tick(at: Self.now + .seconds(11)).doubtful.map(\.message) == [7])
      let failed = machine.didLookUp(1, isMissing: true, at: Self.now + .seconds(11))
      #expect(failed?.message == 7)
      #expect(failed?.isMissing == true)
      #expect(machine.count == 0)
    }

    @Test(arguments: [true, false])
    func aMessageThatNoStreamListensToIsLookedUpWhenItExpires(isMissing: Bool) {
      var machine = Self.machine()
      _ = machine.add(7, isRepeatable: true, expiry: Self.now + .seconds(5), at: Self.now)
      machine.noteUnheard(1, at: Self.now)
      let due = machine.tick(at: Self.now + .seconds(5))
      #expect(due.expired.isEmpty)
      #expect(due.doubtful.map(\.message) == [7])
      let failed = machine.didLookUp(1, isMissing: isMissing, at: Self.now + .seconds(6))
      #expect(failed?.message == 7)
      #expect(failed?.isMissing == isMissing)
    }

    @Test func messagesThatWaitForLongAreToldEveryFiveSeconds() {
      var machine = Self.machine()
      _ = machine.add(7, isRepeatable: true, expiry: nil, at: Self.now)
      _ = machine.add(8, isRepeatable: true, expiry: nil, at: Self.now + .seconds(3))
      func told(_ seconds: Int) -> Machine.Overdue? { machine.tick(at: Self.now + .seconds(seconds)).overdue }
      #expect(told(4) == nil)
      #expect(told(5) == Machine.Overdue(count: 1, time: .seconds(5)))
      #expect(told(9) == nil)
      #expect(told(10) == Machine.Overdue(count: 2, time: .seconds(10)))
      // Without a connection, the state tells. A new one has its own five seconds.
      machine.disconnect(at: Self.now)
      #expect(told(60) == nil)
      _ = machine.reconnect(at: Self.now + .seconds(60))
      #expect(told(64) == nil)
      #expect(told(65) == Machine.Overdue(count: 2, time: .seconds(5)))
      _ = machine.remove(1)
      _ = machine.remove(2)
      #expect(told(99) == nil)
    }

    @Test func whatTheServerRefusesIsRemoved() {
      var machine = Self.machine()
      for message in 0..<5 { _ = machine.add(message, isRepeatable: true, expiry: nil, at: Self.now) }
      #expect(machine.removeAll { $0.isMultiple(of: 2) } == [0, 2, 4])
      #expect(machine.count == 2)
    }

    @Test func aClosedMachineReturnsEachMessageAndTakesNoMore() {
      var machine = Self.machine()
      for message in 0..<5 { _ = machine.add(message, isRepeatable: true, expiry: nil, at: Self.now) }
      #expect(machine.close().sorted() == Array(0..<5))
      #expect(machine.close().isEmpty)
      #expect(machine.add(7, isRepeatable: true, expiry: nil, at: Self.now) == nil)
      #expect(machine.reconnect(at: Self.now).isEmpty)
    }

    /// With any losses and reconnects, each message with an id is answered exactly once in the end.
    @Test(arguments: 0..<100)
    func eachMessageIsAnsweredOnce(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      var machine = Self.machine()
      var now = Self.now
      var isConnected = true
      var inFlight: [UInt64] = []
      var added = 0
      var answered: [Int] = []
      for _ in 0..<500 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2:
          let new = machine.add(added, isRepeatable: true, expiry: nil, at: now)
          let (number, isToBeSent) = try #require(new)
          #expect(isToBeSent == isConnected)
          added += 1
          if isToBeSent { inFlight.append(number) }
        case 3, 4:
          // An answer, which may be one of several to the same message.
          if let number = inFlight.randomElement(using: &random) {
            if let message = machine.remove(number) { answered.append(message) }
            if Bool.random(using: &random) { inFlight.removeAll { $0 == number } }
          }
        case 5:
          if let index = inFlight.indices.randomElement(using: &random) { inFlight.remove(at: index) }
        case 6:
          now += .milliseconds(400)
          inFlight += machine.tick(at: now).sends.map(\.number)
        default:
          isConnected.toggle()
          if isConnected {
            inFlight = machine.reconnect(at: now).map(\.number)
          } else {
            machine.disconnect(at: Self.now)
            inFlight = []
          }
        }
      }
      if !isConnected { inFlight += machine.reconnect(at: now).map(\.number) }
      inFlight += machine.tick(at: now + .seconds(2)).sends.map(\.number)
      for number in inFlight { if let message = machine.remove(number) { answered.append(message) } }
      #expect(answered.sorted() == Array(0..<added))
      #expect(machine.count == 0)
    }
  }
#endif
