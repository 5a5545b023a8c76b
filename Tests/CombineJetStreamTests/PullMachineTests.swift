#if JetStream
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// The pull subscription's state, without a server.
  struct PullMachineTests {

    private static let now = ContinuousClock.now

    /// A machine whose downstream has asked for messages.
    private static func machine(window: Int, demand: Subscribers.Demand) -> (PullMachine, PullMachine.Pull?) {
      var machine = PullMachine(window: window, at: now)
      machine.begin(isConnected: true)
      _ = machine.didOpen()
      let pull = machine.request(demand)
      return (machine, pull)
    }

    @Test(arguments: [
      (64, Subscribers.Demand.max(1), 1), (64, .max(64), 64), (64, .max(65), 64), (64, .unlimited, 64),
      (1, .unlimited, 1),
    ])
    func theFirstRequestAsksForTheDemandWithinTheWindow(window: Int, demand: Subscribers.Demand, batch: Int) {
      let (machine, pull) = Self.machine(window: window, demand: demand)
      #expect(pull == PullMachine.Pull(number: 1, batch: batch))
      #expect(machine.outstanding == batch)
    }

    @Test func asksAgainWhenHalfOfTheWindowWasUsed() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      for count in 1...3 {
        #expect(machine.receiveMessage(on: 1, at: Self.now) == .deliver)
        #expect(machine.didDeliver(.none, at: Self.now) == nil, "\(count)")
      }
      #expect(machine.receiveMessage(on: 1, at: Self.now) == .deliver)
      #expect(machine.didDeliver(.none, at: Self.now) == PullMachine.Pull(number: 2, batch: 4))
    }

    @Test func aMessageBeyondTheDemandIsGivenBack() {
      var (machine, _) = Self.machine(window: 8, demand: .max(1))
      #expect(machine.receiveMessage(on: 1, at: Self.now) == .deliver)
      #expect(machine.didDeliver(.none, at: Self.now) == nil)
      #expect(machine.receiveMessage(on: 1, at: Self.now) == .giveBack)
      #expect(machine.request(.max(1)) == PullMachine.Pull(number: 2, batch: 1))
    }

    @Test func aMessageAfterTheCancelIsGivenBack() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      let isFirst = machine.cancel(on: 1)
      let isSecond = machine.cancel(on: 1)
      #expect(isFirst && !isSecond)
      #expect(machine.receiveMessage(on: 1, at: Self.now) == .giveBack)
      #expect(machine.request(.max(1)) == nil)
      #expect(machine.didEnd() == nil)
    }

    @Test func aRequestThatRanOutIsAskedForAgain() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      let step = machine.receiveStatus(408, of: 1, unanswered: 8, text: "Request Timeout", at: Self.now)
      #expect(step == .pull(PullMachine.Pull(number: 2, batch: 8)))
    }

    @Test func aStatusWithoutACountLosesTheWholeRequest() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      let step = machine.receiveStatus(408, of: 1, unanswered: nil, text: "", at: Self.now)
      #expect(step == .pull(PullMachine.Pull(number: 2, batch: 8)))
    }

    @Test func aSignOfLifeChangesNothing() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      let later = Self.now + .seconds(2)
      #expect(machine.receiveStatus(100, of: 1, unanswered: nil, text: "Idle Heartbeat", at: later) == .wait)
      #expect(machine.outstanding == 8)
      #expect(machine.tick(at: later + .seconds(2), hasWaiting: false) == .wait)
      #expect(machine.tick(at: later + .seconds(3), hasWaiting: false) == .lookUp)
    }

    /// Newer servers answer so if the consumer is gone, and all do while a cluster elects its leader.
    @Test func aRequestThatNobodyTakesIsLookedUp() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      #expect(machine.receiveStatus(503, of: 1, unanswered: nil, text: "", at: Self.now) == .lookUp)
      // Once at a time, and without another request meanwhile.
      #expect(machine.tick(at: Self.now, hasWaiting: false) == .wait)
      #expect(machine.receiveStatus(503, of: 1, unanswered: nil, text: "", at: Self.now) == .wait)
      #expect(machine.didLookUp(.exists, waiting: 0, at: Self.now) == .wait)
      let pull = PullMachine.Pull(number: 2, batch: 8)
      #expect(machine.tick(at: Self.now, hasWaiting: false) == .pull(pull))
      #expect(machine.receiveStatus(503, of: 2, unanswered: nil, text: "", at: Self.now) == .lookUp)
      #expect(machine.didLookUp(.unknown(JetStreamError(.timedOut)), waiting: 0, at: Self.now) == .wait)
      #expect(machine.tick(at: Self.now, hasWaiting: false) == .pull(PullMachine.Pull(number: 3, batch: 8)))
      #expect(machine.receiveStatus(503, of: 3, unanswered: nil, text: "", at: Self.now) == .lookUp)
      #expect(machine.didLookUp(.missing(JetStreamError(.noConsumer)), waiting: 0, at: Self.now) == .fail)
    }

    @Test func aRequestThatHasBroughtItsMessagesIsNoRefusedOne() {
      var (machine, _) = Self.machine(window: 8, demand: .max(1))
      #expect(machine.receiveMessage(on: 1, at: Self.now) == .deliver)
      #expect(machine.didDeliver(.none, at: Self.now) == nil)
      #expect(machine.request(.max(1)) == PullMachine.Pull(number: 2, batch: 1))
      #expect(machine.receiveStatus(409, of: 1, unanswered: nil, text: "Batch Completed", at: Self.now) == .wait)
      #expect(machine.outstanding == 1)
      #expect(machine.receiveMessage(on: 1, at: Self.now) == .deliver)
      #expect(machine.didDeliver(.max(1), at: Self.now) == PullMachine.Pull(number: 3, batch: 1))
    }

    @Test func aRequestThatHasBroughtItsBytesIsFollowedAtOnce() {
      var machine = PullMachine(window: 8, byteLimit: 100, at: Self.now)
      machine.begin(isConnected: true)
      _ = machine.didOpen()
      #expect(machine.request(.unlimited) == PullMachine.Pull(number: 1, batch: 8))
      for _ in 0..<3 {
        #expect(machine.receiveMessage(on: 1, at: Self.now) == .deliver)
        #expect(machine.didDeliver(.none, at: Self.now) == nil)
      }
      let text = "Message Size Exceeds MaxBytes"
      var step = machine.receiveStatus(409, of: 1, unanswered: 5, text: text, at: Self.now)
      #expect(step == .pull(PullMachine.Pull(number: 2, batch: 8)))
      #expect(machine.byteLimit == 100)
      // A message that is larger than the limit would never come.
      step = machine.receiveStatus(409, of: 2, unanswered: 8, text: text, at: Self.now)
      #expect(step == .pull(PullMachine.Pull(number: 3, batch: 8)))
      #expect(machine.byteLimit == 200)
    }

    @Test(arguments: [404, 409])
    func aRefusedRequestIsRepeatedByATick(code: Int) {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      let step = machine.receiveStatus(code, of: 1, unanswered: 8, text: "Exceeded MaxWaiting", at: Self.now)
      #expect(step == .wait)
      #expect(machine.request(.max(1)) == nil)
      #expect(machine.tick(at: Self.now, hasWaiting: false) == .pull(PullMachine.Pull(number: 2, batch: 8)))
    }

    @Test(arguments: [
      (409, "Consumer Deleted", JetStreamError.Kind.noConsumer), (409, "Consumer is push based", .refused),
      (409, "Exceeded MaxRequestBatch of 2", .refused), (400, "Bad Request", .refused),
    ])
    func aStatusThatStaysFails(code: Int, text: String, kind: JetStreamError.Kind) {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      #expect(machine.receiveStatus(code, of: 1, unanswered: nil, text: text, at: Self.now) == .fail)
      #expect(machine.didEnd() == .failure(JetStreamError(kind, status: code, text: text)))
      #expect(machine.didEnd() == nil)
    }

    @Test func aStatusOfAForgottenRequestDoesNotCount() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      #expect(machine.tick(at: Self.now + .seconds(3), hasWaiting: false) == .lookUp)
      let step = machine.didLookUp(.exists, waiting: 0, at: Self.now)
      #expect(step == .pull(PullMachine.Pull(number: 2, batch: 8)))
      // The first one still waits at the server, and runs out.
      #expect(machine.receiveStatus(408, of: 1, unanswered: 8, text: "", at: Self.now) == .wait)
      #expect(machine.outstanding == 8)
    }

    @Test func whatTheLookUpFindsDecides() {
      let missing = JetStreamError(.noConsumer, code: 10014)
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      let late = Self.now + .seconds(10)
      #expect(machine.tick(at: late, hasWaiting: true) == .wait)
      #expect(machine.tick(at: late, hasWaiting: false) == .lookUp)
      #expect(machine.tick(at: late, hasWaiting: false) == .wait)
      #expect(machine.didLookUp(.unknown(JetStreamError(.timedOut)), waiting: 0, at: late) == .wait)
      #expect(machine.tick(at: late, hasWaiting: false) == .wait)
      #expect(machine.tick(at: late + .seconds(3), hasWaiting: false) == .lookUp)
      #expect(machine.didLookUp(.missing(missing), waiting: 0, at: late) == .fail)
      #expect(machine.didEnd() == .failure(missing))
    }

    @Test func aReconnectAsksForAllThatHasNotArrived() {
      var (machine, _) = Self.machine(window: 8, demand: .unlimited)
      machine.disconnect()
      #expect(machine.request(.max(1)) == nil)
      #expect(machine.tick(at: Self.now + .seconds(60), hasWaiting: false) == .wait)
      #expect(machine.reconnect(waiting: 3, at: Self.now) == PullMachine.Pull(number: 2, batch: 5))
      #expect(machine.outstanding == 8)
    }

    @Test(arguments: [true, false])
    func aChangeOfTheConnectionWinsOverItsStateAtTheBeginning(comesFirst: Bool) {
      var reconnected = PullMachine(window: 8, at: Self.now)
      var disconnected = PullMachine(window: 8, at: Self.now)
      if !comesFirst {
        reconnected.begin(isConnected: false)
        disconnected.begin(isConnected: true)
      }
      #expect(reconnected.reconnect(waiting: 0, at: Self.now) == nil)
      disconnected.disconnect()
      if comesFirst {
        reconnected.begin(isConnected: false)
        disconnected.begin(isConnected: true)
      }
      #expect(reconnected.request(.max(2)) == PullMachine.Pull(number: 1, batch: 2))
      #expect(disconnected.request(.max(2)) == nil)
    }

    @Test func theEndHasOneCompletion() {
      var (closed, _) = Self.machine(window: 8, demand: .unlimited)
      let isFirst = closed.close()
      let isSecond = closed.close()
      #expect(isFirst && !isSecond)
      #expect(closed.didEnd() == .finished)
      #expect(closed.didEnd() == nil)

      var (lost, _) = Self.machine(window: 8, demand: .unlimited)
      #expect(lost.didEnd() == .failure(JetStreamError(.closed)))

      var early = PullMachine(window: 8, at: Self.now)
      #expect(early.didEnd() == nil)
      #expect(early.didOpen() == .failure(JetStreamError(.closed)))
    }

    // MARK: Random walk

    /// A server with one consumer: the requests that wait there, and what is on its way.
    private struct Server {

      /// The numbers and the unanswered rest of the requests.
      var requests: [(number: UInt64, left: Int)] = []

      /// The messages that were sent and have not arrived.
      var sent = 0

      /// What is on its way, with the messages that were sent before.
      var statuses: [(code: Int, number: UInt64, unanswered: Int)] = []

      var asked: Int { sent + requests.reduce(0) { $0 + $1.left } }
    }

    /// Events in any order never make the machine ask for more than was requested, and never leave it asleep.
    @Test(arguments: 0..<200)
    func neverAsksForTooMuchAndNeverStalls(seed: UInt64) throws {
      var random = SeededGenerator(seed: seed)
      let window = Int.random(in: 1...16, using: &random)
      var machine = PullMachine(window: window, at: Self.now)
      machine.begin(isConnected: true)
      var server = Server()
      var now = Self.now
      var demand = 0
      var isConnected = true
      _ = machine.didOpen()

      func take(_ pull: PullMachine.Pull?) {
        guard let pull else { return }
        server.requests.append((pull.number, pull.batch))
      }
      func take(_ step: PullMachine.Step) throws {
        switch step {
        case .wait: break
        case .pull(let pull): take(pull)
        case .lookUp: take(machine.didLookUp(.exists, waiting: 0, at: now).pull)
        case .fail: throw Failure(text: "it has failed")
        }
      }
      func deliver(returning more: Int) throws {
        server.sent -= 1
        let arrival = machine.receiveMessage(on: 1, at: now)
        try #require(arrival == .deliver)
        demand -= 1
        demand += more
        take(machine.didDeliver(.max(more), at: now))
      }

      for _ in 0..<400 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
          let more = Int.random(in: 1...20, using: &random)
          demand += more
          take(machine.request(.max(more)))
        case 2, 3, 4:
          // The server answers a request.
          if let index = server.requests.indices.randomElement(using: &random), isConnected {
            server.requests[index].left -= 1
            server.sent += 1
            if server.requests[index].left == 0 { server.requests.remove(at: index) }
          }
        case 5, 6, 7:
          if server.sent > 0 { try deliver(returning: Int.random(in: 0...2, using: &random)) }
        case 8:
          // A request runs out, or is refused. Its status arrives behind the messages.
          if let index = server.requests.indices.randomElement(using: &random), isConnected {
            let request = server.requests.remove(at: index)
            while server.sent > 0 { try deliver(returning: 0) }
            let code = [408, 409, 404].randomElement(using: &random)!
            try take(
              machine.receiveStatus(code, of: request.number, unanswered: request.left, text: "", at: now)
            )
          }
        default:
          switch Int.random(in: 0..<3, using: &random) {
          case 0:
            if isConnected {
              // What is on its way is lost with the requests.
              isConnected = false
              machine.disconnect()
              (server.requests, server.sent) = ([], 0)
            } else {
              isConnected = true
              take(machine.reconnect(waiting: 0, at: now))
            }
          case 1:
            // Requests are lost at the server, which says nothing any more.
            if isConnected, server.sent == 0 { server.requests = [] }
          default:
            now += .seconds(3)
            if server.requests.isEmpty { try take(machine.tick(at: now, hasWaiting: server.sent > 0)) }
          }
        }
        if isConnected { try #require(server.asked <= min(demand, window), "seed \(seed)") }
        try #require(machine.outstanding <= window)
      }

      // Every message that was asked for arrives in the end.
      if !isConnected { take(machine.reconnect(waiting: 0, at: now)) }
      for _ in 0..<8 {
        while server.sent > 0 { try deliver(returning: 0) }
        while let request = server.requests.first {
          server.requests.removeFirst()
          for _ in 0..<request.left {
            server.sent += 1
            try deliver(returning: 0)
          }
        }
        // The server gives no sign of life where nothing waits.
        now += .seconds(3)
        try take(machine.tick(at: now, hasWaiting: false))
      }
      #expect(demand == 0, "seed \(seed)")
    }
  }

  extension PullMachine.Step {
    fileprivate var pull: PullMachine.Pull? {
      if case .pull(let pull) = self { pull } else { nil }
    }
  }

  /// A generator of the same numbers in each run.
  struct SeededGenerator: RandomNumberGenerator {

    private var state: UInt64

    init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
#endif
