import CombineFoundation
import CombineNetworking
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineFoundation

/// The machines that track one subscription from its arrival to its end.
@Suite struct LifeCycleMachineTests {

  // MARK: UpstreamState

  private enum UpstreamEvent {
    case subscription(Int), look, disconnect, terminate
  }

  /// The objects that a machine has received and must return once.
  private struct Holding {
    var held: Int?
    var isOver = false

    mutating func take(_ number: Int) -> Bool {
      guard held == nil, !isOver else { return false }
      held = number
      return true
    }

    mutating func giveBack(ending: Bool) -> Int? {
      isOver = isOver || ending || held != nil
      return exchange(&held, with: nil)
    }
  }

  @Test func upstream() {
    expectSameAnswers(
      "UpstreamState",
      machine: UpstreamState.awaiting,
      model: Holding(),
      depth: 6,
      alphabet: { _ in [.subscription(0), .subscription(1), .look, .disconnect, .terminate] as [UpstreamEvent] },
      answer: { state, event -> Int? in
        switch event {
        case .subscription(let name): state.accept(NumberedSubscription.all[name]) ? -1 : -2
        case .look: number(state.subscription)
        case .disconnect: number(state.disconnect())
        case .terminate: number(state.terminate())
        }
      },
      expect: { model, event in
        switch event {
        case .subscription(let name): model.take(name) ? -1 : -2
        case .look: model.held
        case .disconnect: model.giveBack(ending: false)
        case .terminate: model.giveBack(ending: true)
        }
      }
    )
  }

  // MARK: DeferredResult

  private enum ResultEvent: CaseIterable {
    case request, complete, cancel
  }

  @Test func deferredResult() {
    // The result is sent once: at the later of the first request and the completion, unless a cancel came before.
    expectSameAnswers(
      "DeferredResult",
      machine: DeferredResult.awaiting,
      model: (isRequested: false, isComplete: false, isOver: false),
      depth: 9,
      alphabet: { _ in ResultEvent.allCases },
      answer: { state, event in
        switch event {
        case .request: return state.request()
        case .complete: return state.complete()
        case .cancel:
          state.cancel()
          return false
        }
      },
      expect: { model, event in
        switch event {
        case .request: model.isRequested = true
        case .complete: model.isComplete = true
        case .cancel: model.isOver = true
        }
        guard model.isRequested, model.isComplete, !model.isOver else { return false }
        model.isOver = true
        return true
      }
    )
  }

  // MARK: FutureSubscriptionMachine

  private enum FutureEvent: CaseIterable {
    case request, value, failure, cancel
  }

  @Test func futureSubscription() {
    expectSameAnswers(
      "FutureSubscriptionMachine",
      machine: FutureSubscriptionMachine(),
      model: (isRequested: false, isOver: false),
      depth: 7,
      alphabet: { _ in FutureEvent.allCases },
      answer: { state, event in
        switch event {
        case .request: state.request()
        case .value: state.offer(isFailure: false)
        case .failure: state.offer(isFailure: true)
        case .cancel: state.end()
        }
      },
      expect: { model, event in
        switch event {
        case .request:
          model.isRequested = true
          return !model.isOver
        case .value where !model.isRequested:
          return false
        case .value, .failure, .cancel:
          defer { model.isOver = true }
          return !model.isOver
        }
      }
    )
  }

  // MARK: DeliveryLoopMachine

  private enum LoopEvent {
    case request(Subscribers.Demand), loopLooks, loopEnds, cancel
  }

  private struct LoopModel {
    var untaken = Subscribers.Demand.none
    var runs = false
    var isOver = false
  }

  @Test func deliveryLoop() {
    expectSameAnswers(
      "DeliveryLoopMachine",
      machine: DeliveryLoopMachine(),
      model: LoopModel(),
      depth: 6,
      // The loop belongs to the call that started it.
      alphabet: {
        [.request(.none), .request(.max(1)), .request(.unlimited), .cancel] + ($0.runs ? [.loopLooks, .loopEnds] : [])
          as [LoopEvent]
      },
      answer: { state, event -> String in
        switch event {
        case .request(let demand): "\(state.request(demand))"
        case .loopLooks: state.takeDemand().map { "\($0)" } ?? "release"
        case .loopEnds: "\(state.finish())"
        case .cancel: "\(state.cancel())"
        }
      },
      expect: { model, event in
        switch event {
        case .request(let demand):
          guard !model.isOver else { return "false" }
          model.untaken += demand
          guard !model.runs, model.untaken > .none else { return "false" }
          model.runs = true
          return "true"
        case .loopLooks:
          let taken = exchange(&model.untaken, with: .none)
          if model.isOver || taken == .none { model.runs = false }
          return model.isOver ? "release" : "\(taken)"
        case .loopEnds:
          model.runs = false
          defer { model.isOver = true }
          return "\(!model.isOver)"
        case .cancel:
          defer { model.isOver = true }
          return "\(!model.isOver && !model.runs)"
        }
      },
      // Nothing is lost: demand that is not yet used belongs to a running loop, which will check again.
      invariants: [
        (
          "demand waits only for a loop that runs",
          { state, _ in state.demand == .none || state.isDelivering || state.isEnded }
        )
      ]
    )
  }

  // MARK: DropMachine

  private enum DropEvent: CaseIterable {
    case subscription, request, disconnect
  }

  @Test func drop() {
    expectSameAnswers(
      "DropMachine",
      machine: DropMachine(),
      model: (isConnected: false, requestedBefore: 0),
      depth: 9,
      alphabet: { _ in DropEvent.allCases },
      answer: { state, event -> Int? in
        switch event {
        case .subscription: state.accept(NumberedSubscription.all[0], dropping: 2)?.max
        case .request: number(state.request(.max(3)))
        case .disconnect: number(state.disconnect())
        }
      },
      expect: { model, event in
        switch event {
        case .subscription:
          guard !model.isConnected else { return nil }
          model.isConnected = true
          return model.requestedBefore + 2
        case .request:
          if !model.isConnected { model.requestedBefore += 3 }
          return model.isConnected ? 0 : nil
        case .disconnect:
          defer { model.isConnected = false }
          return model.isConnected ? 0 : nil
        }
      }
    )
  }

  // MARK: DataTaskState

  private enum TaskEvent: CaseIterable {
    case request, created, completed, cancel
  }

  private struct TaskModel {
    var requests = 0
    var wasCreated = false
    var isOver = false
    var isCancelled = false
  }

  @Test func dataTask() {
    // A task is resumed once for each request, as soon as it exists. A task that is made after a cancel is cancelled.
    expectSameAnswers(
      "DataTaskState",
      machine: DataTaskState<Int>(),
      model: TaskModel(),
      depth: 8,
      alphabet: { model in
        TaskEvent.allCases.filter { $0 != .created || model.requests > 0 && !model.wasCreated }
      },
      answer: { state, event -> String in
        switch event {
        case .request:
          switch state.request() {
          case .create: "create"
          case .resume: "resume 1"
          case .nothing: "-"
          }
        case .created:
          switch state.created(7) {
          case .resume(let times): "resume \(times)"
          case .cancel: "cancel"
          case .nothing: "-"
          }
        case .completed: state.end(isCancel: false).map { "\($0)" } ?? "-"
        case .cancel: state.end(isCancel: true).map { "\($0)" } ?? "-"
        }
      },
      expect: { model, event in
        switch event {
        case .request:
          guard !model.isOver else { return "-" }
          model.requests += 1
          return model.requests == 1 ? "create" : model.wasCreated ? "resume 1" : "-"
        case .created:
          model.wasCreated = true
          return model.isCancelled ? "cancel" : model.isOver ? "-" : "resume \(model.requests)"
        case .completed, .cancel:
          guard !model.isOver else { return "-" }
          model.isOver = true
          model.isCancelled = event == .cancel
          return model.wasCreated ? "7" : "-"
        }
      }
    )
  }

  // MARK: AsyncSubscriberMachine

  private enum AsyncEvent: CaseIterable {
    case asks, asksAtOnce, looks, suspends, subscription, value, finish, failure, cancel
  }

  private final class AsyncMachine {
    var state = AsyncSubscriberMachine()
  }

  private struct AsyncModel {
    var isConnected = false
    var isOver = false
    var waiterCount = 0

    /// The demand requested before the subscription.
    var owed = 0
    var failureIsKept = false

    /// Whether the asker has its answer; `nil` while there is no asker.
    var isAnswered: Bool?

    /// Ends all waits, and says whether the asker was answered.
    mutating func end() -> String {
      waiterCount = 0
      let isAnswer = isAnswered == false
      if isAnswer { isAnswered = true }
      return ", 0 wait, \(isAnswer)"
    }
  }

  private static func answer(_ machine: AsyncMachine, _ event: AsyncEvent) -> String {
    func withWaiters(_ action: Any) -> String { "\(action), \(machine.state.waiterCount) wait" }
    func atEnd(_ action: Any) -> String { "\(withWaiters(action)), \(machine.state.answer())" }
    switch event {
    case .asks: return "\(machine.state.next())"
    case .asksAtOnce: return machine.state.ask().map { "\($0)" } ?? "refused"
    case .looks: return "\(machine.state.look())"
    case .suspends: return "\(machine.state.suspend())"
    case .subscription: return "\(machine.state.accept())"
    case .value: return withWaiters(machine.state.value())
    case .finish: return atEnd(machine.state.complete(isFailure: false))
    case .failure: return atEnd(machine.state.complete(isFailure: true))
    case .cancel:
      machine.state.cancel()
      return atEnd("cancel")
    }
  }

  @Test func asyncSubscriber() {
    expectSameAnswers(
      "AsyncSubscriberMachine",
      machine: Replayed<AsyncMachine, AsyncEvent, String>(make: AsyncMachine.init, apply: Self.answer),
      model: AsyncModel(),
      depth: 6,
      alphabet: { model in
        AsyncEvent.allCases.filter { model.isAnswered != nil || ($0 != .looks && $0 != .suspends) }
      },
      answer: { $0.step($1) },
      expect: { model, event in
        if event == .asksAtOnce {
          guard model.isConnected || model.isOver, model.waiterCount == 0, model.isAnswered == nil else {
            return "refused"
          }
          if !model.isOver { model.isAnswered = false }
        }
        switch event {
        case .looks:
          guard model.isAnswered == true else { return "false" }
          model.isAnswered = nil
          return "true"
        case .suspends: return "\(exchange(&model.isAnswered, with: nil) == false)"
        case .asks, .asksAtOnce:
          if model.isOver { return exchange(&model.failureIsKept, with: false) ? "fail" : "end" }
          model.waiterCount += 1
          if model.isConnected { return "request" }
          model.owed += 1
          return "wait"
        case .subscription:
          guard !model.isConnected, !model.isOver else { return "cancel" }
          model.isConnected = true
          return "\(AsyncSubscriberMachine.SubscriptionAction.request(.max(model.owed)))"
        case .value:
          guard model.isConnected, !model.isOver else {
            model.waiterCount = 0
            return "drop, 0 wait"
          }
          guard model.waiterCount > 0 else { return "trap, 0 wait" }
          model.waiterCount -= 1
          let isAnswer = model.isAnswered == false
          if isAnswer { model.isAnswered = true }
          return "\(isAnswer ? "answer" : "resume"), \(model.waiterCount) wait"
        case .finish, .failure:
          if exchange(&model.isOver, with: true) { return "ignore" + model.end() }
          let isAwaited = model.waiterCount > 0
          guard event == .failure else { return "finish" + model.end() }
          if !isAwaited { model.failureIsKept = true }
          return (isAwaited ? "fail" : "keep") + model.end()
        case .cancel:
          model.isOver = true
          model.failureIsKept = false
          return "cancel" + model.end()
        }
      }
    )
  }
}
