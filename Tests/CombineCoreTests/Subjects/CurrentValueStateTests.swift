import Synchronization
import Testing

@testable import CombineCore

@Suite struct CurrentValueStateTests {

  private typealias State = CurrentValueState<String>

  private final class Token {}

  private let token = Token()
  private var subscriber: ObjectIdentifier { ObjectIdentifier(token) }

  private func numbers(_ state: State) -> [Int] { state.sendings.map(\.number) }

  @Test func aSendAloneStoresNothingButTheValue() {
    var state = State("a", storesLast: false)
    let begun = state.beginAlone("b", on: 1)
    #expect(begun?.number == 2 && begun?.replaced == "a")
    #expect(state.value == "b" && state.sendings.isEmpty)
  }

  @Test func aSecondSendAddsTheEntryOfTheFirst() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    let second = state.beginAmongOthers("c", on: 2, isAlone: false).beginning
    #expect(second.isMixed && second.outer == 0)
    #expect(numbers(state) == [2, 3])
    var next = state.next(after: 2, before: 3, otherThan: 2, at: subscriber)
    #expect(next == nil && !state.hasReached(subscriber, with: 3), "the subscriber has it")
    next = state.next(after: 1, before: 3, otherThan: 2, at: subscriber)
    #expect(next?.value == "b" && state.hasReached(subscriber, with: 3))
    _ = state.finish(3, on: 2)
    #expect(state.sendings.isEmpty, "the first does not know of its entry")
    _ = state.beginAmongOthers("d", on: 3, isAlone: false)
    #expect(numbers(state) == [4], "the second is over, though the first is not")
  }

  @Test func aNestedSendKnowsTheSendAroundIt() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    let inner = state.beginAmongOthers("c", on: 1, isAlone: false).beginning
    #expect(inner.outer == 2 && !inner.isMixed)
    let innermost = state.beginAmongOthers("d", on: 1, isAlone: false).beginning
    #expect(innermost.outer == 3)
    _ = state.finish(4, on: 1)
    _ = state.finish(3, on: 1)
    #expect(numbers(state) == [2], "until the outer send ends")
    _ = state.finish(2, on: 1)
    #expect(state.sendings.isEmpty)
  }

  @Test func anOvertakenValueIsTakenOnceAndKeepsItsEntry() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    _ = state.beginAmongOthers("c", on: 1, isAlone: false)
    _ = state.beginAmongOthers("d", on: 2, isAlone: false)
    state.noteOvertaken(after: 1, before: 3, on: 1, at: subscriber)
    _ = state.finish(4, on: 2)
    #expect(numbers(state) == [2, 3])
    let other = Token()
    let answers = [
      state.takeOvertaken(2, at: ObjectIdentifier(other)), state.takeOvertaken(2, at: subscriber),
      state.takeOvertaken(2, at: subscriber), state.takeOvertaken(3, at: subscriber),
    ]
    #expect(answers == [nil, 3, nil, nil])
  }

  @Test func aSubscriberThatHasTheOuterValueIsNotOvertaken() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    _ = state.beginAmongOthers("c", on: 1, isAlone: false)
    state.noteOvertaken(after: 2, before: 3, on: 1, at: subscriber)
    let newer = state.takeOvertaken(2, at: subscriber)
    #expect(newer == nil)
  }

  @Test func aDecisionOfASendAloneIsFoundByOthers() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    state.note(.admitted, of: 2, "b", on: 1, at: subscriber)
    _ = state.beginAmongOthers("c", on: 2, isAlone: false)
    let next = state.next(after: 1, before: 3, otherThan: 2, at: subscriber)
    #expect(next?.exception(at: subscriber) == .admitted)
    #expect(state.admittedCount(after: 1, through: 3, at: subscriber) == 1)
    #expect(state.admittedCount(after: 2, through: 3, at: subscriber) == 0)
    _ = state.finish(3, on: 2)
    #expect(numbers(state) == [2], "its own send removes it")
    _ = state.finish(2, on: 1)
    #expect(state.sendings.isEmpty)
  }

  @Test func aLaterSendAloneRemovesWhatNoSendRemembers() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    state.note(.overtaken(by: 2), of: 2, "b", on: 1, at: subscriber)  // By a request, after the send.
    let next = state.beginAlone("c", on: 1)
    #expect(next == nil)
    _ = state.beginAmongOthers("c", on: 1, isAlone: true)
    _ = state.finish(3, on: 1)
    #expect(state.sendings.isEmpty)
  }

  @Test func aSendAmongOthersStaysWhenOneThatBeganAloneComesLater() {
    var state = State("a", storesLast: false)
    _ = state.beginAlone("b", on: 1)
    _ = state.beginAmongOthers("c", on: 2, isAlone: false)
    // It began before thread 2, which has overtaken it since.
    let third = state.beginAmongOthers("d", on: 3, isAlone: true).beginning
    #expect(third.isMixed)
    #expect(numbers(state) == [3, 4])
  }

  // MARK: Stored last

  @Test func aValueIsStoredAfterItsDelivery() {
    var state = State("a", storesLast: true)
    _ = state.beginAlone("b", on: 1)
    #expect(state.value == "a")
    #expect(state.answer(on: 1)?.value == "a", "inside the write")
    #expect(state.answer(on: 2)?.value == "b", "elsewhere")
    let old = state.store("b", number: 2, on: 1)
    #expect(old == "a" && state.value == "b")
    #expect(state.answer(on: 1)?.value == "b")
  }

  @Test func ofTwoThreadsTheNewerValueIsStored() {
    var state = State("a", storesLast: true)
    _ = state.beginAlone("b", on: 1)
    _ = state.beginAmongOthers("c", on: 2, isAlone: false)
    _ = state.store("c", number: 3, on: 2)
    _ = state.store("b", number: 2, on: 1)
    #expect(state.value == "c")
  }

  @Test func theOuterOfTwoNestedWritesIsStoredLast() {
    var state = State("a", storesLast: true)
    _ = state.beginAlone("outer", on: 1)
    _ = state.beginAmongOthers("inner", on: 1, isAlone: false)
    _ = state.store("inner", number: 3, on: 1)
    _ = state.finish(3, on: 1)
    #expect(state.value == "inner")
    _ = state.store("outer", number: 2, on: 1)
    _ = state.finish(2, on: 1)
    #expect(state.value == "outer")
    #expect(state.answer(on: 1)?.value == "outer")
    #expect(state.answer(on: 2)?.value == "outer")
    _ = state.beginAlone("next", on: 2)
    _ = state.store("next", number: 4, on: 2)
    #expect(state.value == "next")
  }

  /// Another thread's request may come so late that the downstream is gone.
  @Test(.timeLimit(.minutes(1))) func aRequestIsNotAnsweredAfterTheReleaseOfTheDownstream() {
    let core = CurrentValueCore<Int, Never>(1, storesLast: false, name: "Subject")
    let conduit = CurrentValueConduit(core: core, downstream: AnySubscriber<Int, Never>())
    conduit.unansweredCount.store(1, ordering: .relaxed)
    conduit.cancel()
    conduit.releaseContents(leavesGate: false)
    core.answerRequests(from: conduit)
    let isEntered = conduit.gate.isEntered
    #expect(!isEntered)
  }

  @Test func aClosedStateHasNoAnswer() {
    var state = State("a", storesLast: true)
    let values = state.clear()
    state.release(values)
    #expect(state.answer(on: 1) == nil)
  }
}

extension CurrentValueState {

  fileprivate mutating func beginAlone(_ value: Value, on thread: UInt) -> (number: Int, replaced: Value?)? {
    var exchanged = value
    let number = Self.beginAlone(in: &self, &exchanged, on: thread)
    return number == 0 ? nil : (number, exchanged)
  }

  fileprivate mutating func store(_ value: Value, number: Int, on thread: UInt) -> Value? {
    var exchanged = value
    Self.store(in: &self, &exchanged, number: number, on: thread)
    return exchanged
  }
}
