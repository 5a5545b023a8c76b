#if NIO
  import CombineCore
  import TestSupport
  import Testing

  @testable import CombineNIO

  @Suite struct InboundMachineTests {

    // MARK: A table

    private enum Event {
      case open, request(Int), value(Int), readComplete, active, finish, fail, cancel
    }

    @Test func answersEachEvent() {
      expect([.active, .open, .request(1)], ["", "", "read"])
      expect([.open, .request(1), .active], ["", "", "read"], "no read before the channel is active")
      expect([.request(1), .active, .open], ["", "", "read"], "no read before the subscriber has its subscription")
      expect([.active, .open, .request(1), .request(1)], ["", "", "read", ""], "one read at a time")
      expect([.active, .open, .request(2), .value(1), .readComplete], ["", "", "read", "1", "read"])
      expect([.active, .open, .request(1), .value(1), .readComplete], ["", "", "read", "1", ""])
      expect(
        [.active, .open, .request(1), .value(1), .value(2), .readComplete, .request(1), .request(1)],
        ["", "", "read", "1", "", "", "2", "read"],
        "what was read beyond the demand waits, and nothing is read before it is delivered"
      )
      expect([.active, .open, .request(2), .readComplete], ["", "", "read", "read"], "a cycle may bring nothing")
      expect(
        [.open, .value(1), .finish, .request(1)],
        ["", "", "", "1 finish"],
        "the end comes after the held values"
      )
      expect([.open, .finish], ["", "finish"], "the end needs no demand")
      expect([.value(1), .fail, .open, .request(1)], ["", "", "", "1 fail"], "all waits for the subscriber")
      expect([.fail, .open], ["", "fail"])
      expect([.open, .fail, .finish, .value(1)], ["", "fail", "", ""], "nothing follows the end")
      expect([.open, .value(1), .fail, .finish, .value(2), .request(2)], ["", "", "", "", "", "1 fail"])
      expect([.active, .open, .value(1), .cancel, .request(1)], ["", "", "", "close 1", ""])
      expect([.cancel, .open, .value(1), .finish], ["close 0", "", "", ""])
      expect([.open, .finish, .cancel], ["", "finish", ""])
      expect([.active, .open, .request(1), .active], ["", "", "read", "read"], "a read that may have had no effect")
    }

    private func expect(
      _ events: [Event],
      _ answers: [String],
      _ comment: Comment? = nil,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      var machine = InboundMachine<Int>()
      let actual = events.map { event in
        var answers: [String] = []
        var action = Self.step(event, &machine)
        loop: while true {
          switch action {
          case .nothing: break loop
          case .read:
            answers.append("read")
            break loop
          case .deliver(let value):
            answers.append("\(value)")
            action = machine.next(.none)
          case .complete(.finished):
            answers.append("finish")
            break loop
          case .complete(.failure):
            answers.append("fail")
            break loop
          case .close(let values):
            answers.append("close \(values.count)")
            break loop
          }
        }
        return answers.joined(separator: " ")
      }
      #expect(actual == answers, comment, sourceLocation: sourceLocation)
    }

    private static func step(_ event: Event, _ machine: inout InboundMachine<Int>) -> InboundMachine<Int>.Action {
      switch event {
      case .open: machine.open()
      case .request(let count): machine.request(.max(count))
      case .value(let value): machine.receive(value)
      case .readComplete: machine.completeRead()
      case .active: machine.activate()
      case .finish: machine.finish(.finished)
      case .fail: machine.finish(.failure(TestError()))
      case .cancel: machine.cancel()
      }
    }

    // MARK: Every sequence

    private enum Reaction: CaseIterable {

      /// The subscriber returns no demand.
      case none

      /// It returns demand for one more value, once.
      case returns

      /// It requests one more value inside the first one.
      case requests

      /// It cancels inside the first value.
      case cancels

      /// The input ends inside the first value.
      case finishes
    }

    @Test(arguments: 0..<Reaction.allCases.count)
    private func keepsItsRulesInEverySequence(reaction: Int) {
      let events: [Event] = [.open, .request(1), .value(0), .readComplete, .active, .finish, .cancel]
      var indices = Array(repeating: 0, count: 6)
      repeat {
        var run = Run(reaction: Reaction.allCases[reaction])
        for index in indices { run.take(events[index]) }
        if let fault = run.fault {
          Issue.record("\(indices.map { events[$0] }), \(Reaction.allCases[reaction]): \(fault)")
          return
        }
      } while advance(&indices, base: events.count)
    }

    private func advance(_ indices: inout [Int], base: Int) -> Bool {
      for position in indices.indices {
        indices[position] += 1
        if indices[position] < base { return true }
        indices[position] = 0
      }
      return false
    }

    /// A machine with a channel and a subscriber, and the rules that hold after each event.
    private struct Run: ~Copyable {

      private var machine = InboundMachine<Int>()
      private let reaction: Reaction
      private var hasReacted = false

      private var isOpen = false
      private var isActive = false
      private var demand = 0
      private var accepted = 0
      private var delivered: [Int] = []
      private var hasInputEnded = false
      private var isCancelled = false
      private var completions = 0
      private var closes = 0
      private var isReading = false

      private(set) var fault: String?

      init(reaction: Reaction) {
        self.reaction = reaction
      }

      mutating func take(_ event: Event) {
        switch event {
        case .open: isOpen = true
        case .request: if !isOver { demand += 1 }
        case .value:
          // The number of the value, if it is to be delivered.
          let isAccepted = !isOver && !hasInputEnded
          if isAccepted { accepted += 1 }
          perform(machine.receive(isAccepted ? accepted : -1))
          return check()
        case .readComplete: isReading = false
        case .active:
          isActive = true
          isReading = false
        case .finish: if !isOver { hasInputEnded = true }
        case .cancel: if !isOver { isCancelled = true }
        case .fail: break
        }
        perform(InboundMachineTests.step(event, &machine))
        check()
      }

      private var isOver: Bool { isCancelled || completions > 0 }

      private mutating func perform(_ first: InboundMachine<Int>.Action) {
        var action = first
        while true {
          switch action {
          case .nothing: return
          case .read:
            if isReading { fault = "two reads at a time" }
            if !isActive { fault = "a read before the channel is active" }
            isReading = true
            return
          case .deliver(let value):
            if !isOpen { fault = "a value before the subscription" }
            if isOver { fault = "a value after the end" }
            delivered.append(value)
            action = machine.next(react())
          case .complete:
            if !hasInputEnded || delivered.count < accepted { fault = "an early end" }
            completions += 1
            return
          case .close:
            closes += 1
            return
          }
        }
      }

      private mutating func react() -> Subscribers.Demand {
        guard !hasReacted else { return .none }
        hasReacted = true
        switch reaction {
        case .none: break
        case .returns:
          demand += 1
          return .max(1)
        case .requests: take(.request(1))
        case .cancels: take(.cancel)
        case .finishes: take(.finish)
        }
        return .none
      }

      private var isDelivering: Bool { machine.queue.isDelivering }

      private mutating func check() {
        if isDelivering || fault != nil { return }
        if delivered != Array(1..<delivered.count + 1) { fault = "delivered \(delivered)" }
        if closes != (isCancelled ? 1 : 0) { fault = "\(closes) closes" }
        if isCancelled { return }
        if delivered.count != (isOpen ? min(demand, accepted) : 0) { fault = "delivered \(delivered) of \(accepted)" }
        let isDone = isOpen && hasInputEnded && delivered.count == accepted
        if completions != (isDone ? 1 : 0) { fault = "\(completions) completions" }
        let isDue = isOpen && isActive && !hasInputEnded && demand > accepted
        if isDue && !isReading { fault = "no read for the demand" }
        if machine.queue.count != accepted - delivered.count { fault = "holds \(machine.queue.count)" }
      }
    }
  }
#endif
