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

  // MARK: SuccessionMachine

  private enum SuccessionEvent: CaseIterable {
    case firstSubscribes, secondSubscribes, firstEnds, firstLeaves, secondEnds, request, disconnect, end
  }

  @Test func succession() {
    enum Model {
      case waiting, first, between, second, ended
    }
    expectSameAnswers(
      "SuccessionMachine",
      machine: SuccessionMachine.waiting,
      model: Model.waiting,
      depth: 5,
      alphabet: { _ in SuccessionEvent.allCases },
      answer: { state, event -> String in
        func name(_ subscription: (any Subscription)?) -> String { number(subscription).map { "\($0)" } ?? "-" }
        switch event {
        case .firstSubscribes: return "\(state.acceptFirst(NumberedSubscription.all[1]))"
        case .secondSubscribes: return "\(state.acceptSecond(NumberedSubscription.all[2]))"
        case .firstEnds: return name(state.endFirst())
        case .firstLeaves:
          return switch state.leaveFirst() {
          case .left(let subscription): name(subscription)
          case .ended: "ended"
          case .outOfTurn: "out of turn"
          }
        case .secondEnds: return name(state.endSecond())
        case .request:
          return switch state.request() {
          case .count(let subscription): "count \(name(subscription))"
          case .forward(let subscription): "forward \(name(subscription))"
          case .ignore: "ignore"
          case .trap: "trap"
          }
        case .disconnect: return name(state.disconnect())
        case .end: return name(state.end())
        }
      },
      // The table of `catch`, line by line.
      expect: { model, event in
        switch (event, model) {
        case (.firstSubscribes, .waiting):
          model = .first
          return "true"
        case (.secondSubscribes, .between):
          model = .second
          return "true"
        case (.firstSubscribes, _), (.secondSubscribes, _):
          return "false"
        case (.firstEnds, .first), (.disconnect, .first), (.end, .first):
          model = .ended
          return "1"
        case (.secondEnds, .second), (.disconnect, .second), (.end, .second):
          model = .ended
          return "2"
        case (.end, _):
          model = .ended
          return "-"
        case (.firstEnds, _), (.secondEnds, _), (.disconnect, _):
          return "-"
        case (.firstLeaves, .first):
          model = .between
          return "1"
        case (.firstLeaves, .ended): return "ended"
        case (.firstLeaves, _): return "out of turn"
        case (.request, .waiting): return "trap"
        case (.request, .first): return "count 1"
        case (.request, .between): return "count -"
        case (.request, .second): return "forward 2"
        case (.request, .ended): return "ignore"
        }
      }
    )
  }

  // MARK: RetryMachine

  private enum RetryEvent: CaseIterable {
    case subscription, failure, subscribeReturns, end
  }

  private struct RetryModel {
    var failuresLeft: Int?
    var isConnected = false
    var wasGreeted = false
    var isOver = false

    /// Whether a repeated `subscribe` is running, and how often the upstream has failed in it.
    var isSubscribing = false
    var failsMeanwhile = false
  }

  @Test(arguments: [nil, 0, 1, 2, -1] as [Int?]) func retry(retries: Int?) {
    expectSameAnswers(
      "RetryMachine, \(retries.map { "\($0) retries" } ?? "for ever")",
      machine: RetryMachine(retries: retries),
      model: RetryModel(failuresLeft: retries.flatMap { $0 < 0 ? nil : $0 }),
      depth: 7,
      alphabet: { model in RetryEvent.allCases.filter { $0 != .subscribeReturns || model.isSubscribing } },
      answer: { state, event -> String in
        switch event {
        case .subscription: return "\(state.accept(NumberedSubscription.all[0]))"
        case .failure: return "\(state.fail().action)"
        case .subscribeReturns: return "\(state.hasSubscribed())"
        case .end:
          let ending = state.end()
          return "\(ending.isFirst) \(ending.subscription != nil)"
        }
      },
      expect: { model, event in
        switch event {
        case .subscription:
          guard !model.isOver, !model.isConnected else { return "cancel" }
          model.isConnected = true
          defer { model.wasGreeted = true }
          return model.wasGreeted ? "store" : "storeAndSendSubscription"
        case .failure:
          guard !model.isOver else { return "ignore" }
          model.isConnected = false
          guard model.failuresLeft != 0 else {
            model.isOver = true
            return "finish"
          }
          model.failuresLeft = model.failuresLeft.map { $0 - 1 }
          guard !model.isSubscribing else {
            model.failsMeanwhile = true
            return "wait"
          }
          model.isSubscribing = true
          return "subscribe"
        case .subscribeReturns:
          let again = model.failsMeanwhile && !model.isOver
          model.failsMeanwhile = false
          model.isSubscribing = again
          return "\(again)"
        case .end:
          defer { (model.isOver, model.isConnected) = (true, false) }
          return "\(!model.isOver) \(model.isConnected)"
        }
      }
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

  // MARK: DropUntilOutputMachine

  private enum UntilEvent: CaseIterable {
    case upstreamSubscribes, otherSubscribes, otherValue, otherCompletes, upstreamCompletes, cancel
  }

  private struct UntilModel {
    var holdsUpstream = false
    var holdsOther = false
    var isTriggered = false
    var isCompleted = false
    var isCancelled = false
  }

  @Test func dropUntilOutput() {
    expectSameAnswers(
      "DropUntilOutputMachine",
      machine: DropUntilOutputMachine(),
      model: UntilModel(),
      depth: 6,
      alphabet: { _ in UntilEvent.allCases },
      answer: { state, event -> String in
        func name(_ subscription: (any Subscription)?) -> String { number(subscription).map { "\($0)" } ?? "-" }
        switch event {
        case .upstreamSubscribes: return "\(state.acceptUpstream(NumberedSubscription.all[1]))"
        case .otherSubscribes: return "\(state.acceptOther(NumberedSubscription.all[2]))"
        case .otherValue: return name(state.trigger())
        case .otherCompletes:
          return switch state.completeOther() {
          case .ignore(let released): "ignore \(name(released))"
          case .end(let cancelled): "end \(name(cancelled))"
          }
        case .upstreamCompletes: return "\(state.completeUpstream())"
        case .cancel:
          let (upstream, other) = state.cancel()
          return "\(name(upstream)) \(name(other))"
        }
      },
      expect: { model, event in
        switch event {
        case .upstreamSubscribes:
          guard !model.holdsUpstream, !model.isCompleted, !model.isCancelled else { return "false" }
          model.holdsUpstream = true
          return "true"
        case .otherSubscribes:
          defer { model.holdsOther = true }
          return "\(!model.holdsOther)"
        case .otherValue:
          model.isTriggered = true
          return exchange(&model.holdsOther, with: false) ? "2" : "-"
        case .otherCompletes:
          if model.isTriggered { return exchange(&model.holdsOther, with: false) ? "ignore 2" : "ignore -" }
          let upstream = exchange(&model.holdsUpstream, with: false) ? "1" : "-"
          // After a cancel nothing is sent and nothing is kept. Combine sends the completion, which is harmful.
          return model.isCancelled ? "ignore -" : "end \(upstream)"
        case .upstreamCompletes:
          guard !model.isCompleted, !model.isCancelled else { return "false" }
          model.isCompleted = true
          return "true"
        case .cancel:
          model.isCancelled = true
          let upstream = exchange(&model.holdsUpstream, with: false) ? "1" : "-"
          return "\(upstream) \(exchange(&model.holdsOther, with: false) ? "2" : "-")"
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
