import TestSupport
import Testing

@testable import CombineCore

/// The state machine alone: `next`, subscription, value, completion and cancel in each state.
@Suite struct AsyncSubscriberMachineTests {

  private typealias State = AsyncSubscriberMachine<TestError, Int>

  private static func subscribed() -> State {
    var state = State()
    _ = state.accept(ManualSubscription())
    return state
  }

  private static func drain(_ waiters: consuming Deque<Int>) -> [Int] {
    var list: [Int] = []
    while let waiter = waiters.popFirst() { list.append(waiter) }
    return list
  }

  /// The result of a step, in a form that can be compared.
  private static func describe(_ action: State.NextAction) -> String {
    switch action {
    case .wait: "wait"
    case .request: "request"
    case .takeKept: "kept"
    case .resume(nil): "nil"
    case .resume(let failure?): "throw \(failure)"
    }
  }

  private static func describe(_ action: consuming State.ValueAction) -> String {
    switch consume action {
    case .resume(let waiter): "resume \(waiter)"
    case .drop(let waiters): "drop \(drain(waiters))"
    case .keep: "keep"
    case .merge: "merge"
    case .trap: "trap"
    }
  }

  private static func describe(_ ending: consuming State.Ending) -> String {
    let prefix = "\(ending.subscription == nil ? "" : "upstream ")\(ending.failing.map { "throw \($0) " } ?? "")"
    var waiters = Deque<Int>()
    swap(&waiters, &ending.finishing)
    return prefix + "nil \(drain(waiters))"
  }

  @Test func nextCountsThenRequestsThenEnds() {
    var state = State()
    #expect(Self.describe(state.next(1)) == "wait")
    #expect(Self.describe(state.next(2)) == "wait")
    #expect(state.accept(ManualSubscription()) == .request(.max(2)))
    #expect(Self.describe(state.next(3)) == "request")
    #expect(Self.describe(state.cancel()) == "upstream nil [1, 2, 3]")
    #expect(Self.describe(state.next(4)) == "nil")
  }

  @Test func onlyTheFirstSubscriptionIsKept() {
    var state = State()
    let subscription = ManualSubscription()
    #expect(state.accept(subscription) == .request(.none))
    #expect(state.accept(subscription) == .cancel)
    _ = state.cancel()
    #expect(state.accept(subscription) == .cancel)
  }

  @Test func theOldestWaitReceivesTheValue() {
    var state = Self.subscribed()
    for waiter in 1...3 { _ = state.next(waiter) }
    #expect(Self.describe(state.value()) == "resume 1")
    #expect(Self.describe(state.value()) == "resume 2")
    _ = state.next(4)
    #expect(Self.describe(state.value()) == "resume 3")
    #expect(Self.describe(state.value()) == "resume 4")
    #expect(Self.describe(state.value()) == "trap")
  }

  @Test func anUnrequestedValueIsKeptForTheNextCall() {
    var state = Self.subscribed()
    #expect(Self.describe(state.value(.value)) == "keep")
    #expect(Self.describe(state.value(.value)) == "keep")
    #expect(Self.describe(state.next(1)) == "kept")
    #expect(Self.describe(state.value()) == "keep", "once demand is no longer exact, an excess value is kept")
    #expect(Self.describe(state.complete(.failure("a"))) == "upstream nil []")
    #expect(Self.describe(state.next(2)) == "kept")
    #expect(Self.describe(state.next(3)) == "kept")
    #expect(Self.describe(state.next(4)) == "throw a")
    #expect(Self.describe(state.value(.value)) == "drop []")
  }

  @Test func aWaitingCallReceivesAnUnrequestedValue() {
    var state = Self.subscribed()
    _ = state.next(1)
    #expect(Self.describe(state.value(.value)) == "resume 1")
    #expect(Self.describe(state.value()) == "keep")
  }

  @Test func announcementsWithoutAWaitAreMergedIntoOne() {
    var state = Self.subscribed()
    #expect(Self.describe(state.value(.announcement)) == "keep")
    #expect(Self.describe(state.value(.announcement)) == "merge")
    #expect(Self.describe(state.next(1)) == "kept")
    #expect(Self.describe(state.next(2)) == "request")
    #expect(Self.describe(state.value(.announcement)) == "resume 2")
    #expect(Self.describe(state.value(.announcement)) == "keep")
  }

  @Test func cancelDropsAKeptValue() {
    var state = Self.subscribed()
    _ = state.value(.value)
    #expect(Self.describe(state.cancel()) == "upstream nil []")
    #expect(Self.describe(state.next(1)) == "nil")
  }

  @Test func aValueBeforeTheSubscriptionEndsTheWaitAndKeepsTheDemand() {
    var state = State()
    _ = state.next(1)
    _ = state.next(2)
    #expect(Self.describe(state.value()) == "drop [1, 2]")
    #expect(Self.describe(state.value()) == "drop []")
    #expect(state.accept(ManualSubscription()) == .request(.max(2)))
  }

  @Test(arguments: [false, true])
  func completionsEndTheWait(isSubscribed: Bool) {
    let upstream = isSubscribed ? "upstream " : ""
    func fresh() -> State { isSubscribed ? Self.subscribed() : State() }

    var finished = fresh()
    for waiter in 1...2 { _ = finished.next(waiter) }
    #expect(Self.describe(finished.complete(.finished)) == "\(upstream)nil [1, 2]")
    #expect(Self.describe(finished.complete(.failure("late"))) == "nil []")
    #expect(Self.describe(finished.value()) == "drop []")
    #expect(Self.describe(finished.next(3)) == "nil")

    var failed = fresh()
    for waiter in 1...3 { _ = failed.next(waiter) }
    #expect(Self.describe(failed.complete(.failure("oops"))) == "\(upstream)throw 1 nil [2, 3]")
    #expect(Self.describe(failed.next(4)) == "nil")

    var unnoticed = fresh()
    #expect(Self.describe(unnoticed.complete(.failure("oops"))) == "\(upstream)nil []")
    #expect(Self.describe(unnoticed.complete(.failure("late"))) == "nil []")
    #expect(Self.describe(unnoticed.complete(.finished)) == "nil []")
    #expect(Self.describe(unnoticed.next(1)) == "throw oops")
    #expect(Self.describe(unnoticed.next(2)) == "nil")
  }

  @Test func aCancelDropsAStoredFailure() {
    var state = Self.subscribed()
    _ = state.complete(.failure("oops"))
    #expect(Self.describe(state.cancel()) == "nil []")
    #expect(Self.describe(state.next(1)) == "nil")
  }

  @Test func aCancelBeforeTheSubscriptionEndsTheWait() {
    var state = State()
    _ = state.next(1)
    #expect(Self.describe(state.cancel()) == "nil [1]")
    #expect(Self.describe(state.cancel()) == "nil []")
  }
}
