import TestSupport
import Testing

@testable import CombineCore

/// The machines of the operators that wait for time, for demand, or for a scheduler.
@Suite struct TimingMachineTests {

  private typealias Demand = Subscribers.Demand

  // MARK: TimeoutMachine

  private enum TimeoutEvent {
    case value, request, fire(UInt64)
  }

  @Test func timeout() {
    expectSameAnswers(
      "TimeoutMachine",
      machine: TimeoutMachine(),
      model: (latest: UInt64(0), hasRequested: false, isArmed: false),
      depth: 7,
      alphabet: { model in
        (model.latest < 4 ? [.value, .request] : []) + (0..<model.latest).map { TimeoutEvent.fire($0 + 1) }
      },
      answer: { state, event -> UInt64? in
        switch event {
        case .value: state.restart().timer
        case .request: state.request()
        case .fire(let timer): state.timers.fire(timer)?.isLatest == true ? timer : nil
        }
      },
      // Only the newest timer ends it, and all requests set one timer.
      expect: { model, event in
        switch event {
        case .request where model.hasRequested: return nil
        case .value, .request:
          if case .request = event { model.hasRequested = true }
          model.latest += 1
          model.isArmed = true
          return model.latest
        case .fire(let timer):
          guard timer == model.latest, model.isArmed else { return nil }
          model.isArmed = false
          return timer
        }
      }
    )
  }

  // MARK: BufferMachine

  private enum BufferEvent {
    case value, finish, fail, overflowError, request(Subscribers.Demand), batchEnds(Subscribers.Demand), cancel
  }

  /// A buffer whose batches take time. The loop of the conduit is a series of events here.
  ///
  /// So any event may come meanwhile, on the delivering thread or on another one.
  private final class BufferReplay {
    var state: BufferMachine<Int, TestError>
    var next = 0
    var batches: [[Int]] = []
    let isSameThread: Bool

    init(size: Int, whenFull: Publishers.BufferingStrategy<TestError>, isSameThread: Bool) {
      state = BufferMachine(size: size, whenFull: whenFull)
      _ = state.announcement.end()
      self.isSameThread = isSameThread
    }

    /// The thread of an event: the delivering thread, or another one.
    private var thread: UInt { isSameThread || batches.isEmpty ? 1 : 2 }

    private func describe(_ next: BufferMachine<Int, TestError>.Next, _ batch: inout Deque<Int>) -> String {
      switch next {
      case .nothing: return "-"
      case .completion(let completion): return "\(completion)"
      case .batch:
        var values: [Int] = []
        while let value = batch.popFirst() { values.append(value) }
        batches.append(values)
        return "\(values)"
      }
    }

    func step(_ event: BufferEvent) -> String {
      var batch = Deque<Int>()
      switch event {
      case .value:
        next += 1
        switch state.receive(next, on: thread) {
        case .ignored: return "ignored"
        case .drain(let dropped):
          return "drops \(dropped.map { "\($0)" } ?? "-"), \(describe(state.drain(on: thread, into: &batch), &batch))"
        case .fail: return "fails"
        }
      case .overflowError:
        state.fail(with: "full")
        return ""
      case .finish, .fail:
        let completion: Subscribers.Completion<TestError> = if case .finish = event { .finished } else { .failure("x") }
        guard state.complete(completion, on: thread) else { return "ignored" }
        return describe(state.drain(on: thread, into: &batch), &batch)
      case .request(let demand):
        return describe(state.request(demand, on: thread, into: &batch), &batch)
      case .batchEnds(let more):
        batches.removeLast()
        return describe(state.didDeliver(more, into: &batch), &batch)
      case .cancel:
        var dropped = Deque<Int>()
        state.cancel(on: thread, dropped: &dropped)
        return "drops \(dropped.elements)"
      }
    }
  }

  private struct BufferModel {
    enum Full { case dropNewest, dropOldest, fail }

    let size: Int
    let full: Full
    let isSameThread: Bool
    var values: [Int] = []
    var demand = Demand.none
    var end: String?
    var isMakingError = false
    var isOver = false
    var batchCount = 0
    var next = 0

    /// The rules of the drain.
    mutating func drain() -> String {
      guard !isOver else { return "-" }
      if demand > .none, values.isEmpty, let end {
        isOver = true
        return end
      }
      if demand == .none, let end, end != "finished" {
        isOver = true
        values = []
        return end
      }
      guard demand > .none, !values.isEmpty else { return "-" }
      let batch = Array(values.prefix(demand.max ?? .max))
      values.removeFirst(batch.count)
      demand -= batch.count
      batchCount += 1
      return "\(batch)"
    }

    /// An event of another thread is left to the delivering thread.
    mutating func drainUnlessAnotherDoes() -> String {
      batchCount > 0 && !isSameThread ? "-" : drain()
    }
  }

  private func buffer(_ full: BufferModel.Full, size: Int, isSameThread: Bool, depth: Int) {
    let whenFull: Publishers.BufferingStrategy<TestError> =
      switch full {
      case .dropNewest: .dropNewest
      case .dropOldest: .dropOldest
      case .fail: .customError { "full" }
      }
    expectSameAnswers(
      "BufferMachine, \(full), \(isSameThread ? "one thread" : "two threads")",
      machine: Replayed<BufferReplay, BufferEvent, String>(
        make: { BufferReplay(size: size, whenFull: whenFull, isSameThread: isSameThread) },
        apply: { $0.step($1) }
      ),
      model: BufferModel(size: size, full: full, isSameThread: isSameThread),
      depth: depth,
      alphabet: { model in
        // While the closure makes its error, only another thread may send events.
        let others: [BufferEvent] = [.value, .finish, .fail, .request(.max(1)), .request(.max(2)), .cancel]
        return (model.isMakingError ? [.overflowError] : others)
          + (model.batchCount > 0 && !model.isMakingError ? [.batchEnds(.none), .batchEnds(.max(1))] : [])
      },
      answer: { $0.step($1) },
      expect: { model, event in
        switch event {
        case .value:
          model.next += 1
          if model.isOver || model.end.map({ $0 != "finished" }) == true { return "ignored" }
          if model.values.count < model.size {
            model.values.append(model.next)
            return "drops -, \(model.drainUnlessAnotherDoes())"
          }
          switch model.full {
          case .dropNewest:
            return "drops \(model.next), \(model.drainUnlessAnotherDoes())"
          case .dropOldest:
            let oldest = model.values.removeFirst()
            model.values.append(model.next)
            return "drops \(oldest), \(model.drainUnlessAnotherDoes())"
          case .fail:
            model.isMakingError = true
            return "fails"
          }
        case .overflowError:
          model.isMakingError = false
          model.end = "failure(full)"
          return ""
        case .finish, .fail:
          guard model.end == nil else { return "ignored" }
          model.end = if case .finish = event { "finished" } else { "failure(x)" }
          return model.drainUnlessAnotherDoes()
        case .request(let demand):
          model.demand += demand
          return model.batchCount > 0 ? "-" : model.drain()
        case .batchEnds(let more):
          model.batchCount -= 1
          model.demand += more
          return model.drain()
        case .cancel:
          model.isOver = true
          return "drops \(exchange(&model.values, with: []))"
        }
      },
      invariants: [
        (
          "what may be delivered is being delivered",
          { _, model in
            // Only an overflow waits for the next request.
            model.isOver || model.batchCount > 0 || model.isMakingError || model.demand == .none || model.values.isEmpty
              || model.end == "failure(full)"
          }
        )
      ]
    )
  }

  @Test func buffers() {
    for isSameThread in [true, false] {
      buffer(.dropNewest, size: 1, isSameThread: isSameThread, depth: 5)
      buffer(.dropOldest, size: 2, isSameThread: isSameThread, depth: 5)
      buffer(.fail, size: 1, isSameThread: isSameThread, depth: 5)
    }
  }
}
