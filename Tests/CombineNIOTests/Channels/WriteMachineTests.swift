#if NIO
  import TestSupport
  import Testing

  @testable import CombineNIO

  @Suite struct WriteMachineTests {

    private func machine(window: Int = 4, isWritable: Bool = true) -> WriteMachine<Int> {
      var machine = WriteMachine<Int>(window: window)
      _ = machine.accept(ManualSubscription())
      if isWritable {
        _ = machine.setWritable(true)
        machine.resume()
      }
      return machine
    }

    @Test func requestsTheWindowOnceTheChannelIsWritable() {
      var machine = machine(isWritable: false)
      expect(machine.takeRequest()?.demand, nil)
      expect(machine.setWritable(true), .soon)
      expect(machine.takeRequest()?.demand, nil, "not at once")
      machine.resume()
      expect(machine.takeRequest()?.demand, .max(4))
      expect(machine.takeRequest()?.demand, nil)
    }

    @Test func requestsNothingWithoutASubscription() {
      var machine = WriteMachine<Int>(window: 4)
      _ = machine.setWritable(true)
      machine.resume()
      expect(machine.takeDemand(), .none)
      expect(machine.accept(ManualSubscription()), true)
      expect(machine.accept(ManualSubscription()), false, "only the first subscription is kept")
      expect(machine.takeDemand(), .max(4))
    }

    @Test func refillsHalfTheWindow() {
      var machine = machine()
      _ = machine.takeDemand()
      expect(machine.receive(1, isOnLoop: true), .write)
      expect(machine.leave(), (.later, .none))
      expect(machine.receive(2, isOnLoop: true), .write)
      expect(machine.leave(), (.none, .max(2)), "a flush was asked for")
    }

    @Test func queuesWhatArrivesOnOtherThreads() {
      var machine = machine()
      _ = machine.takeDemand()
      expect(machine.receive(1, isOnLoop: false), .queued(wakes: true, demand: .none))
      expect(machine.receive(2, isOnLoop: false), .queued(wakes: false, demand: .none))
      expect(machine.receive(3, isOnLoop: true), .queued(wakes: false, demand: .none), "nothing overtakes the queue")
      machine.drain()
      expect(machine.next(), 1)
      expect(machine.next(), 2)
      expect(machine.next(), 3)
      expect(machine.next(), nil)
      expect(machine.leave(), (.later, .max(3)))
    }

    @Test func theQueueCountsInTheWindow() {
      var machine = machine()
      _ = machine.takeDemand()
      for number in 0..<4 {
        if case .queued(_, let demand) = machine.receive(number, isOnLoop: false) { #expect(demand == .none) }
      }
      expect(machine.takeDemand(), .none)
    }

    @Test func flushesAtOnceWhenNothingMoreCanArrive() {
      var machine = machine(window: 1)
      _ = machine.takeDemand()
      expect(machine.receive(1, isOnLoop: true), .write)
      _ = machine.setWritable(false)
      expect(machine.leave(), (.now, .none))
      expect(machine.setWritable(true), .soon)
      expect(machine.leave(), (.none, .none), "the loop requests later")
      expect(machine.setWritable(false), .none)
      expect(machine.setWritable(true), .none, "it was asked to")
      machine.resume()
      expect(machine.takeDemand(), .max(1))
      expect(machine.flush(), false)
    }

    @Test func waitsForTheRestOfTheWindowBeforeItFlushes() {
      var machine = machine(window: 2)
      _ = machine.takeDemand()
      expect(machine.receive(1, isOnLoop: true), .write)
      _ = machine.setWritable(false)
      expect(machine.leave(), (.later, .none))
      expect(machine.receive(2, isOnLoop: true), .write)
      expect(machine.leave(), (.now, .none))
    }

    @Test func someResumptionsServeOtherChannelsFirst() {
      var machine = machine(isWritable: false)
      for number in 1...128 {
        expect(machine.setWritable(true), number % 64 == 0 ? .afterOthers : .soon)
        machine.resume()
        expect(machine.setWritable(false), .none)
      }
    }

    @Test func completesWhenAllWritesAreDone() {
      var machine = machine()
      _ = machine.takeDemand()
      _ = machine.receive(1, isOnLoop: true)
      _ = machine.leave()
      expect(machine.finish(.finished).wakes, true)
      expect(machine.takeEnd() == nil, true)
      machine.noteDone()
      expect(machine.takeEnd() != nil, true)
      expect(machine.takeEnd() == nil, true)
      expect(machine.terminate() == nil, true)
    }

    @Test func nothingFollowsTheEnd() {
      var machine = machine()
      _ = machine.takeDemand()
      expect(machine.receive(1, isOnLoop: false), .queued(wakes: true, demand: .none))
      let terminated = machine.terminate()
      #expect(terminated?.values == [1])
      #expect(terminated?.subscription != nil)
      expect(machine.receive(2, isOnLoop: false), .dropped)
      expect(machine.finish(.finished).wakes, false)
      expect(machine.takeDemand(), .none)
      expect(machine.accept(ManualSubscription()), false)
      expect(machine.next(), nil)
    }

    // MARK: Every sequence

    private enum Event: CaseIterable {
      case writable, unwritable, resume, valueOnLoop, valueElsewhere, drain, flush, done, finish, terminate
    }

    @Test func keepsItsRulesInEverySequence() {
      for window in [1, 2] {
        var indices = Array(repeating: 0, count: 6)
        repeat {
          var run = Run(machine(window: window, isWritable: false), window: window)
          for index in indices { run.take(Event.allCases[index]) }
          if let fault = run.fault {
            Issue.record("window \(window), \(indices.map { Event.allCases[$0] }): \(fault)")
            return
          }
        } while advance(&indices, base: Event.allCases.count)
      }
    }

    private func advance(_ indices: inout [Int], base: Int) -> Bool {
      for position in indices.indices {
        indices[position] += 1
        if indices[position] < base { return true }
        indices[position] = 0
      }
      return false
    }

    /// A machine, an upstream that keeps to its demand, a loop, and the rules that hold after each event.
    private struct Run: ~Copyable {

      private var machine: WriteMachine<Int>
      private let window: Int
      private var isWritable = false
      private var demand = 0
      private var sent = 0
      private var written: [Int] = []
      private var flushed = 0
      private var finished = 0
      private var isDrainDue = false
      private var isFlushDue = false
      private var isResumeDue = false
      private var hasFinished = false
      private var isOver = false

      private(set) var fault: String?

      init(_ machine: consuming WriteMachine<Int>, window: Int) {
        self.machine = machine
        self.window = window
      }

      mutating func take(_ event: Event) {
        switch event {
        case .writable, .unwritable:
          isWritable = event == .writable
          if machine.setWritable(isWritable) != .none { isResumeDue = true }
        case .resume:
          guard isResumeDue else { return }
          isResumeDue = false
          machine.resume()
          request(machine.takeRequest()?.demand ?? .none)
        case .valueOnLoop, .valueElsewhere:
          guard demand > 0, !hasFinished else { return }
          demand -= 1
          sent += 1
          switch machine.receive(sent, isOnLoop: event == .valueOnLoop) {
          case .write:
            written.append(sent)
            leave()
          case .queued(let wakes, let more):
            if wakes { isDrainDue = true }
            request(more)
          case .dropped:
            if !isOver { fault = "dropped" }
          }
        case .drain:
          if isDrainDue { drain() }
        case .flush:
          if isFlushDue {
            isFlushDue = false
            if machine.flush() { flushed = written.count }
          }
        case .done:
          guard finished < flushed else { return }
          finished += 1
          machine.noteDone()
          complete()
        case .finish:
          guard !hasFinished else { return }
          hasFinished = true
          if machine.finish(.finished).wakes { isDrainDue = true }
        case .terminate:
          if machine.terminate() != nil { isOver = true }
        }
        check()
      }

      private mutating func drain() {
        isDrainDue = false
        machine.drain()
        while let value = machine.next() { written.append(value) }
        leave()
        complete()
      }

      private mutating func leave() {
        while true {
          let (flush, more) = machine.leave()
          if flush == .now {
            flushed = written.count
            continue
          }
          if flush == .later { isFlushDue = true }
          return request(more)
        }
      }

      private mutating func complete() {
        guard machine.takeEnd() != nil else { return }
        if isOver || !hasFinished || written.count < sent || finished < sent { fault = "an early end" }
        isOver = true
      }

      private mutating func request(_ more: Subscribers.Demand) {
        let count = more.max ?? .max
        guard count > 0 else { return }
        if !isWritable || isOver || hasFinished { fault = "a request of \(more)" }
        demand += count
      }

      private mutating func check() {
        if fault != nil { return }
        if written != Array(1..<written.count + 1) { fault = "written \(written)" }
        if demand + sent - written.count > window { fault = "more than the window" }
        if flushed < written.count, !isFlushDue, !isDrainDue { fault = "never flushed" }
        if isOver { return }
        if written.count < sent, !isDrainDue { fault = "never written" }
        if isWritable, !hasFinished, demand == 0, !isDrainDue, !isResumeDue { fault = "stalled" }
        if hasFinished, !isDrainDue, finished == sent { fault = "never completed" }
      }
    }
  }

  // `#expect` cannot call a mutating method of a value that is not copyable.
  private func expect<Value: Equatable>(
    _ actual: Value,
    _ expected: Value,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(actual == expected, comment, sourceLocation: sourceLocation)
  }

  private func expect(
    _ actual: (WriteMachine<Int>.Flush, Subscribers.Demand),
    _ expected: (WriteMachine<Int>.Flush, Subscribers.Demand),
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(actual.0 == expected.0, comment, sourceLocation: sourceLocation)
    #expect(actual.1 == expected.1, comment, sourceLocation: sourceLocation)
  }
#endif
