import TestSupport
import Testing

@testable import CombineCore

/// Names subscriptions a, b, c … for the tables below.
private struct Names {

  let subscriptions = (0..<4).map { _ in ManualSubscription() }

  subscript(index: Int) -> ManualSubscription { subscriptions[index] }

  func of(_ subscription: any Subscription) -> String {
    let index = subscriptions.firstIndex { $0.combineIdentifier == subscription.combineIdentifier }
    return index.map { String("abcd"[String.Index(utf16Offset: $0, in: "abcd")]) } ?? "nothing"
  }

  func of(_ list: (some Sequence<any Subscription>)?) -> String {
    guard let list else { return "-" }
    return list.map { of($0) }.joined()
  }
}

@Suite struct MergeMachineTests {

  private let names = Names()

  private func started(_ count: Int = 2) -> MergeMachine {
    var state = MergeMachine(count: count)
    for index in 0..<count { _ = state.accept(names[index], at: index) }
    return state
  }

  private func arrival(_ state: inout MergeMachine, from index: Int = 0) -> String {
    switch state.receive(from: index) {
    case .deliver: "deliver"
    case .deliverCounted: "counted"
    case .keep: "keep"
    case .drop: "drop"
    }
  }

  @Test func aValueIsDeliveredKeptOrDropped() {
    var state = started()
    #expect(arrival(&state) == "keep")
    #expect(arrival(&state) == "keep")
    #expect(state.request(.max(2)) == true, "one waits")
    #expect(state.takeWaiting() == 0)
    #expect(state.takeWaiting() == nil, "a replaced value does not count twice")
    #expect(state.didFlush(1, .none) == true)
    #expect(arrival(&state) == "counted")
    #expect(state.didDeliver(.none) == false)
    #expect(arrival(&state) == "keep")
    #expect(state.request(.unlimited) == true)
    #expect(arrival(&state) == "deliver")
    _ = state.terminate()
    #expect(arrival(&state) == "deliver", "a late value is the sender's mistake")
    _ = state.cancel()
    #expect(arrival(&state) == "drop")
  }

  @Test func aValueWithoutDemandAfterTheEndIsDropped() {
    var state = started()
    _ = state.terminate()
    #expect(arrival(&state) == "drop")
  }

  @Test func aFinishAfterTheEndIsNotCounted() {
    var state = started()
    #expect(arrival(&state) == "keep")
    #expect(state.request(.max(1)) == true)
    #expect(state.takeWaiting() == 0)
    _ = state.terminate()  // From inside the value that waited.
    _ = state.finish(at: 0)
    _ = state.finish(at: 1)
    #expect(state.didFlush(1, .max(1)) == false)
    #expect(arrival(&state) == "counted", "the demand that came with the last value counts as it would without them")
  }

  @Test func unlimitedDemandIsPassedOnOnce() {
    var state = started()
    #expect(state.accept(names[2], at: 0) == nil)
    #expect(state.request(.max(3)) == false)
    #expect(state.request(.none) == false)
    #expect(state.request(.unlimited) == true)
    #expect(names.of(state.takeUnlimitedRequest()) == "ab")
    #expect(names.of(state.takeUnlimitedRequest()) == "")
    #expect(state.request(.unlimited) == false)
  }

  @Test func unlimitedDemandThatADeliveryBroughtIsPassedOn() {
    var state = started()
    _ = state.request(.max(1))
    _ = state.receive(from: 0)
    #expect(state.didDeliver(.unlimited) == true)
  }

  @Test func finishesWhenAllHaveAndNothingWaitsOrIsUnderWay() {
    var state = started()
    #expect(arrival(&state) == "keep")
    #expect(names.of(state.finish(at: 0).map { [$0] }) == "a")
    #expect(state.terminateIfFinished() == nil)
    _ = state.finish(at: 1)
    #expect(state.terminateIfFinished() == nil)
    _ = state.request(.max(1))
    #expect(state.takeWaiting() == 0)
    #expect(state.terminateIfFinished() == nil)
    _ = state.didFlush(1, .none)
    #expect(names.of(state.terminateIfFinished()) == "")
    #expect(state.terminateIfFinished() == nil)
    #expect(state.accept(names[2], at: 0) == nil)
    #expect(state.request(.unlimited) == false)
  }

  @Test func endingGivesOutWhatIsToBeCancelledOnce() {
    var state = started()
    #expect(names.of(state.terminate()) == "ab")
    #expect(state.terminate() == nil)
    #expect(names.of(state.cancel()) == "")
  }

  /// Takes what there is demand for, as the conduit does.
  private func flush(_ state: inout MergeMachine) -> [Int] {
    var taken: [Int] = []
    while let index = state.takeWaiting() { taken.append(index) }
    if let first = taken.first { state.didTakeWaiting(first: first) }
    _ = state.didFlush(taken.count, .none)
    return taken
  }

  @Test func requestsServeTheUpstreamsInTurn() {
    var state = started(3)
    var served: [Int] = []
    for _ in 0..<6 {
      for index in 0..<3 { _ = arrival(&state, from: index) }
      _ = state.request(.max(1))
      served += flush(&state)
    }
    #expect(served == [0, 1, 2, 0, 1, 2])
    for index in 0..<3 { _ = arrival(&state, from: index) }
    _ = state.request(.max(2))
    #expect(flush(&state) == [0, 1])
    for index in 0..<3 { _ = arrival(&state, from: index) }
    _ = state.request(.max(2))
    #expect(flush(&state) == [2, 0])
  }

  @Test func anUpstreamWithoutAValueLosesItsTurn() {
    var state = started(3)
    _ = arrival(&state, from: 2)
    _ = state.request(.max(1))
    #expect(flush(&state) == [2])
    for index in [1, 2] { _ = arrival(&state, from: index) }
    _ = state.request(.max(1))
    #expect(flush(&state) == [1])
  }

  /// What is left over goes to the upstream that is asked first: the next time to another one.
  @Test func demandLeftOverChangesWhoIsFirst() {
    var state = started(2)
    var served: [[Int]] = []
    for _ in 0..<3 {
      for index in 0..<2 { _ = arrival(&state, from: index) }
      _ = state.request(.max(3))
      served.append(flush(&state))
      #expect(arrival(&state, from: served.last![0]) == "counted")
    }
    #expect(served == [[0, 1], [1, 0], [0, 1]])
  }

  @Test func unlimitedDemandTakesTheValuesInTheOrderOfTheUpstreams() {
    var state = started(3)
    _ = arrival(&state, from: 1)
    _ = state.request(.max(1))
    _ = flush(&state)
    for index in [2, 1, 0] { _ = arrival(&state, from: index) }
    _ = state.request(.unlimited)
    #expect(flush(&state) == [0, 1, 2])
  }
}

@Suite struct ZipMachineTests {

  private let names = Names()

  private func started(_ count: Int = 3) -> ZipMachine {
    var state = ZipMachine(count: count)
    for index in 0..<count { _ = state.accept(names[index], at: index) }
    _ = state.didAnnounce()
    return state
  }

  private func text(_ ending: ZipMachine.Ending?) -> String {
    guard let ending else { return "-" }
    return "\(ending.completion) cancels \(names.of(ending.cancelled)) releases \(names.of(ending.released))"
  }

  @Test func announcesWithTheLastSubscription() {
    var state = ZipMachine(count: 2)
    #expect(state.accept(names[1], at: 1) == .keep)
    #expect(state.accept(names[2], at: 1) == .cancel)
    #expect(!state.announcement.hasBegun)
    #expect(state.accept(names[0], at: 0) == .announce)
    #expect(state.accept(names[2], at: 0) == .cancel)
    #expect(text(state.didAnnounce()) == "-")
    #expect(state.announcement.isDone)
    #expect(names.of(state.request(.max(1))) == "ab")
    #expect(names.of(state.requestedAfterCombination(from: 0)) == "b")
  }

  @Test func holdsACompletionUntilTheDownstreamHasItsSubscription() {
    var state = ZipMachine(count: 2)
    _ = state.accept(names[0], at: 0)
    #expect(text(state.finish(at: 0, isDrained: true)) == "-")
    #expect(!state.isOpen)
    #expect(text(state.fail(TestError("late"))) == "-")
    #expect(state.accept(names[1], at: 1) == .announce)
    #expect(names.of(state.request(.max(1))) == "")
    #expect(text(state.didAnnounce()) == "finished cancels b releases ab")
    #expect(text(state.didAnnounce()) == "-")
  }

  @Test func aCancelDropsAHeldCompletion() {
    var state = ZipMachine(count: 1)
    _ = state.fail(TestError("x"))
    #expect(state.accept(names[0], at: 0) == .announce)
    #expect(names.of(state.cancel()) == "a")
    #expect(text(state.didAnnounce()) == "-")
  }

  @Test func finishesWithADrainedUpstreamAndCancelsTheUnfinished() {
    var state = started()
    #expect(text(state.finish(at: 1, isDrained: false)) == "-")
    #expect((0..<3).filter(state.finished.contains) == [1])
    #expect(text(state.finish(at: 0, isDrained: true)) == "finished cancels c releases abc")
    #expect(text(state.finish(at: 2, isDrained: true)) == "-")
    #expect(text(state.fail(TestError("x"))) == "-")
    #expect(text(state.finishAfterCombination()) == "-")
    #expect(names.of(state.request(.max(1))) == "")
    #expect(names.of(state.requestedAfterCombination(from: 0)) == "")
    #expect(names.of(state.cancel()) == "")
    #expect(state.accept(names[0], at: 0) == .cancel)
  }

  @Test func finishesAfterTheRowThatDrainedAFinishedUpstream() {
    var state = started()
    _ = state.finish(at: 0, isDrained: false)
    #expect(text(state.finishAfterCombination()) == "finished cancels bc releases abc")
  }

  @Test func aFailureCancelsEvenTheUpstreamThatFailed() {
    var state = started()
    let ending = text(state.fail(TestError("x")))
    #expect(ending.hasSuffix("cancels abc releases abc"))
    #expect(ending.hasPrefix("failure"))
  }
}

@Suite struct CombineLatestMachineTests {

  private let names = Names()

  private func started() -> CombineLatestMachine {
    var state = CombineLatestMachine(count: 2)
    for index in 0..<2 { _ = state.accept(names[index], at: index) }
    _ = state.didAnnounce()
    return state
  }

  private func text(_ ending: CombineLatestMachine.Ending?) -> String {
    guard let ending else { return "-" }
    return "\(ending.completion.map { "\($0)" } ?? "held") cancels \(names.of(ending.cancelled))"
  }

  @Test func aSubscriptionIsAskedForTheOutstandingDemand() {
    var state = CombineLatestMachine(count: 2)
    #expect(state.accept(names[0], at: 0) == Subscribers.Demand.none)
    #expect(names.of(state.request(.max(3))) == "a")
    state.takeDemand()
    #expect(state.accept(names[1], at: 1) == .max(2))
    #expect(state.accept(names[2], at: 1) == nil)
    var held: Subscribers.Completion<any Error>?
    _ = state.cancel(dropped: &held)
    #expect(state.accept(names[2], at: 0) == nil)
  }

  @Test func countsDemand() {
    var state = started()
    #expect(!state.hasDemand)
    #expect(names.of(state.request(.max(1))) == "ab")
    #expect(state.hasDemand)
    state.takeDemand()
    #expect(!state.hasDemand)
    state.add(.unlimited)
    state.takeDemand()
    #expect(state.demand == .unlimited)
  }

  @Test func finishesWithTheLastFinish() {
    var state = started()
    var dropped: (any Subscription)?
    #expect(text(state.finish(at: 0, dropped: &dropped)) == "-")
    #expect(names.of(dropped.map { [$0] }) == "a")
    #expect(names.of(state.request(.max(1))) == "b")
    #expect(text(state.finish(at: 1, dropped: &dropped)) == "finished cancels ")
    #expect(!state.isOpen)
    #expect(text(state.finish(at: 1, dropped: &dropped)) == "-")
    #expect(text(state.fail(TestError("x"), at: 0, dropped: &dropped)) == "-")
    #expect(names.of(state.request(.max(1))) == "")
  }

  @Test func aFailureCancelsTheOthersOnly() {
    var state = started()
    var dropped: (any Subscription)?
    let ending = text(state.fail(TestError("x"), at: 0, dropped: &dropped))
    #expect(ending.hasPrefix("failure") && ending.hasSuffix("cancels b"))
    #expect(names.of(dropped.map { [$0] }) == "a")
    var held: Subscribers.Completion<any Error>?
    #expect(names.of(state.cancel(dropped: &held)) == "")
  }

  @Test func holdsACompletionUntilTheDownstreamHasItsSubscription() {
    for cancels in [false, true] {
      var state = CombineLatestMachine(count: 1)
      var dropped: (any Subscription)?
      #expect(text(state.finish(at: 0, dropped: &dropped)) == "held cancels ")
      var held: Subscribers.Completion<any Error>?
      if cancels { _ = state.cancel(dropped: &held) }
      #expect((held != nil) == cancels)
      #expect((state.didAnnounce() == nil) == cancels)
      #expect(state.didAnnounce() == nil)
    }
  }
}

@Suite struct SwitchToLatestMachineTests {

  private let names = Names()

  private func started() -> SwitchToLatestMachine {
    var state = SwitchToLatestMachine()
    _ = state.accept(names[0])
    return state
  }

  private func name(_ subscription: (any Subscription)?) -> String { names.of(subscription.map { [$0] }) }

  @Test func theNextInnerPublisherReplacesTheLatest() {
    var state = started()
    var replaced: (any Subscription)?
    #expect(state.accept(names[3]) == false)
    #expect(state.nextInner(on: 1, replaced: &replaced) == 1)
    #expect(name(replaced) == "-")
    #expect(state.accept(names[1], of: 1) == Subscribers.Demand.none)
    #expect(state.accept(names[3], of: 1) == nil)
    #expect(name(state.request(.max(4))) == "b")
    #expect(state.receiveValue(of: 1) == .deliver)
    #expect(name(state.didDeliver(.max(2), of: 1)) == "-")
    #expect(state.nextInner(on: 1, replaced: &replaced) == 2)
    #expect(name(replaced) == "b")
    #expect(state.receiveValue(of: 1) == .drop)
    #expect(state.accept(names[3], of: 1) == nil)
    #expect(state.accept(names[2], of: 2) == .max(5))
    #expect(
      name(state.didDeliver(.max(1), of: 1)) == "c",
      "the demand an old inner publisher brought goes to the new one"
    )
    #expect(state.cancel().map { names.of($0) } == ["c", "a"])
    #expect(state.cancel().isEmpty)
    #expect(state.nextInner(on: 1, replaced: &replaced) == nil)
    #expect(state.accept(names[3]) == false)
  }

  @Test func finishesWhenBothHave() {
    var state = started()
    var dropped: (any Subscription)?
    _ = state.nextInner(on: 1, replaced: &dropped)
    #expect(state.finishUpstream(dropped: &dropped) == false, "an inner publisher is awaited")
    #expect(name(dropped) == "a")
    _ = state.accept(names[1], of: 1)
    #expect(state.finishUpstream(dropped: &dropped) == false, "an inner publisher is subscribed")
    #expect(state.finishInner(1, dropped: &dropped) == true)
    #expect(name(dropped) == "b")
    #expect(state.finishInner(1, dropped: &dropped) == false)
    #expect(state.finishUpstream(dropped: &dropped) == true, "a repeated completion of the upstream is passed on")
  }

  /// As in Combine: a lawless upstream may send a subscription after its finish.
  @Test func keepsASubscriptionAfterTheFinish() {
    var state = started()
    var dropped: (any Subscription)?
    #expect(state.accept(names[1]) == false)
    #expect(state.finishUpstream(dropped: &dropped) == true)
    #expect(state.accept(names[1]) == true)
    #expect(state.cancel().map { names.of($0) } == ["b"])
  }

  @Test func anInnerPublisherWithoutASubscriptionIsAwaitedUntilItFinishes() {
    var state = started()
    var dropped: (any Subscription)?
    _ = state.nextInner(on: 1, replaced: &dropped)
    #expect(state.finishUpstream(dropped: &dropped) == false)
    dropped = nil
    #expect(state.finishInner(1, mayBeAwaited: true, dropped: &dropped) == true)
    #expect(name(dropped) == "-")

    var other = started()
    _ = other.nextInner(on: 1, replaced: &dropped)
    #expect(other.finishInner(1, mayBeAwaited: true, dropped: &dropped) == false, "the upstream goes on")
    #expect(other.finishUpstream(dropped: &dropped) == true)
    #expect(other.finishInner(1, mayBeAwaited: true, dropped: &dropped) == false)
  }

  @Test func failuresCancelTheOtherHalf() {
    var state = started()
    var dropped: (any Subscription)?
    var cancelled: (any Subscription)?
    _ = state.nextInner(on: 1, replaced: &dropped)
    _ = state.accept(names[1], of: 1)
    #expect(state.failUpstream(dropped: &dropped, cancelled: &cancelled) == true)
    #expect(name(dropped) == "a" && name(cancelled) == "b")
    #expect(state.failInner(1, dropped: &dropped, cancelled: &cancelled) == false)

    var other = started()
    _ = other.nextInner(on: 1, replaced: &dropped)
    _ = other.accept(names[1], of: 1)
    #expect(other.failInner(0, dropped: &dropped, cancelled: &cancelled) == false, "not the latest")
    #expect(other.failInner(1, dropped: &dropped, cancelled: &cancelled) == true)
    #expect(name(dropped) == "b" && name(cancelled) == "a")
    #expect(other.mirror.current == 0)
    #expect(other.failUpstream(dropped: &dropped, cancelled: &cancelled) == false)
  }
}

@Suite struct FlatMapMachineTests {

  private let names = Names()

  private func arrival(_ state: inout FlatMapMachine) -> String {
    switch state.receiveValue() {
    case .deliver: "deliver"
    case .deliverCounted: "counted"
    case .keep: "keep"
    case .drop: "drop"
    }
  }

  /// Answers are gathered first: the macros of the tests copy what a call is made on, and this state cannot be copied.
  @Test func aValueIsDeliveredKeptOrDropped() {
    var state = FlatMapMachine()
    var answers = [arrival(&state)]
    _ = state.request(.max(1), isInsideDelivery: true)
    answers += [arrival(&state), arrival(&state)]
    _ = state.request(.unlimited, isInsideDelivery: true)
    answers.append(arrival(&state))
    #expect(answers == ["keep", "counted", "keep", "deliver"])

    var ended = FlatMapMachine()
    _ = ended.cancel()
    let late = arrival(&ended)
    #expect(late == "drop")
  }

  @Test func oneDrainRunsAtATimeUntilDemandOrValuesEnd() {
    var state = FlatMapMachine()
    let key = state.addInner()!
    _ = state.accept(names[1], for: key)
    _ = state.receiveValue()
    _ = state.receiveValue()
    let isDue = state.request(.max(1), isInsideDelivery: false)
    var steps = [state.takeWaiting(on: 1), state.takeWaiting(on: 2)]
    #expect(isDue)
    #expect(steps == [.deliver(isCounted: true), .leave])
    let isDueAgain = state.request(.max(1), isInsideDelivery: false)
    #expect(!isDueAgain, "somebody drains already")
    let inner = state.didDrain(key, .none, isCounted: true, on: 1)
    #expect(names.of(inner.map { [$0] }) == "b")
    let whileRequesting = arrival(&state)
    #expect(whileRequesting == "keep", "though there is demand")
    steps = [state.takeWaiting(on: 1), state.takeWaiting(on: 1)]
    #expect(steps == [.deliver(isCounted: true), .end], "the demand was used up")
    let isDueAtLast = state.request(.max(1), isInsideDelivery: false)
    #expect(isDueAtLast)
  }

  @Test func aDrainMayBeLeftToAnotherThread() {
    var state = FlatMapMachine()
    let key = state.addInner()!
    _ = state.accept(names[0], for: key)
    for _ in 1...3 { _ = state.receiveValue() }
    _ = state.request(.max(3), isInsideDelivery: false)
    var steps = [state.takeWaiting(on: 1)]
    _ = state.didDrain(key, .none, isCounted: true, on: 1)
    state.stopDraining(on: 2)
    steps.append(state.takeWaiting(on: 2))
    state.stopDraining(on: 1)
    let afterIt = arrival(&state)
    steps += [state.takeWaiting(on: 2), state.takeWaiting(on: 1)]
    #expect(
      steps == [.deliver(isCounted: true), .leave, .deliver(isCounted: true), .leave],
      "only the thread that drains can leave it"
    )
    #expect(afterIt == "counted", "it is not requesting anything now")
  }

  @Test func demandThatADeliveryBroughtIsDrainedByTheOutermost() {
    var state = FlatMapMachine()
    _ = state.request(.max(1), isInsideDelivery: true)
    _ = state.receiveValue()
    _ = state.receiveValue()
    let answers = [
      state.didDeliver(.max(1), isOutermost: false), state.didDeliver(.none, isOutermost: true),
      state.didDeliver(.none, isOutermost: true),
    ]
    _ = state.takeWaiting(on: 1)
    let isDue = state.didDeliver(.max(1), isOutermost: true)
    #expect(answers == [false, true, true])
    #expect(!isDue, "somebody drains already")
  }

  @Test func unlimitedDemandIsPassedToTheInnerPublishersOnce() {
    var state = FlatMapMachine()
    let first = state.addInner()!
    let demands = [state.accept(names[0], for: first), state.accept(names[1], for: first)]
    #expect(demands == [.max(1), nil])
    _ = state.request(.unlimited, isInsideDelivery: false)
    let second = state.addInner()!
    let demand = state.accept(names[1], for: second)
    #expect(demand == .unlimited)
    let asked = [state.takeUnlimitedRequest(), state.takeUnlimitedRequest()].map { names.of($0) }
    #expect(asked == ["ab", ""])
  }

  /// As in Combine: a lawless upstream may send a subscription after its finish.
  @Test func keepsASubscriptionAfterTheFinish() {
    var state = FlatMapMachine()
    _ = state.addInner()
    let accepted = [state.accept(names[0]), state.accept(names[1])]
    _ = state.finishUpstream()
    let acceptedLate = state.accept(names[1])
    let upstream = names.of(state.upstream.map { [$0] })
    #expect(accepted == [true, false])
    #expect(acceptedLate)
    #expect(upstream == "b")
  }

  @Test func finishesWhenNothingMoreCanCome() {
    var state = FlatMapMachine()
    _ = state.accept(names[0])
    let key = state.addInner()!
    var answers = [state.endIfFinished(on: 1)]
    let upstream = names.of(state.upstream.map { [$0] })
    #expect(upstream == "a")
    let released = names.of(state.finishUpstream().map { [$0] })
    #expect(released == "a")
    answers.append(state.endIfFinished(on: 1))  // The inner publisher has not answered.
    _ = state.receiveValue()
    _ = state.finishInner(key)
    answers.append(state.endIfFinished(on: 1))  // A value waits.
    _ = state.request(.max(1), isInsideDelivery: false)
    _ = state.takeWaiting(on: 2)
    answers.append(state.endIfFinished(on: 1))  // Another thread drains.
    _ = state.takeWaiting(on: 2)
    answers += [state.endIfFinished(on: 1), state.endIfFinished(on: 1)]
    #expect(answers == [false, false, false, false, true, false])
    let nextInner = state.addInner()
    #expect(nextInner == nil)
  }

  private func started(_ keys: inout [InnerSubscriptions.Key]) -> FlatMapMachine {
    var state = FlatMapMachine()
    _ = state.accept(names[0])
    keys = []
    for index in 1...2 {
      let key = state.addInner()!
      _ = state.accept(names[index], for: key)
      keys.append(key)
    }
    return state
  }

  @Test func endingGivesOutWhatIsToBeCancelledOnce() {
    var keys: [InnerSubscriptions.Key] = []
    var cancelled = started(&keys)
    let all = [cancelled.cancel(), cancelled.cancel()].map { names.of($0) }
    #expect(all == ["bca", ""])

    var failed = started(&keys)
    var released: (inner: (any Subscription)?, upstream: (any Subscription)?)
    let others = [failed.failInner(keys[0], dropped: &released), failed.failInner(keys[1], dropped: &released)]
    #expect(others.map { names.of($0) } == ["c", "-"])
    #expect(names.of(released.inner.map { [$0] }) == "b")
    #expect(names.of(released.upstream.map { [$0] }) == "a", "released, not cancelled")

    var failing = started(&keys)
    var dropped: (any Subscription)?
    let inners = [
      failing.failUpstream(thread: 1, dropped: &dropped), failing.failUpstream(thread: 2, dropped: &dropped),
    ]
    #expect(inners.map { names.of($0) } == ["bc", "-"])
  }
}
