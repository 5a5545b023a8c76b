import Testing

@testable import CombineCore

/// Which timer counts, where two may fire, or where an element comes meanwhile. `TimedModelTests` have the rest.
@Suite struct MovingDeadlineTests {

  private typealias Machine = MovingDeadline<Int>

  /// Fires a timer, as a conduit does.
  private func fire(_ timer: UInt64, _ state: inout Machine) -> Machine.End {
    guard let look = state.removeTimer(timer).look else { return .nothing }
    return state.end(isEarly: look.isEarly, since: look)
  }

  private func text(_ end: Machine.End) -> String {
    switch end {
    case .nothing: "nothing"
    case .setTimer(let timer, let date): "timer \(timer) at \(date)"
    case .deadline: "deadline"
    }
  }

  @Test(arguments: [true, false]) func onlyTheLatestTimerCounts(olderFirst: Bool) {
    var state = Machine()
    let older = state.move(to: 20, setsTimer: true)!
    let latest = state.move(to: 10, setsTimer: true)!
    let ends = (olderFirst ? [older, latest, latest] : [latest, older, latest]).map { text(fire($0, &state)) }
    #expect(ends == (olderFirst ? ["nothing", "deadline", "nothing"] : ["deadline", "nothing", "nothing"]))
  }

  @Test func aTimerIsSetAgainForTheRestOfTheTime() {
    var state = Machine()
    let first = state.move(to: 10, setsTimer: true)!
    #expect(state.move(to: 13, setsTimer: false) == nil)
    #expect(text(fire(first, &state)) == "timer 2 at 13")
    #expect(state.look.timerDate == 13)
    #expect(text(fire(2, &state)) == "deadline")
  }

  @Test func anElementThatComesWhileATimerFiresHasATimerOfItsOwn() {
    var state = Machine()
    let first = state.move(to: 10, setsTimer: true)!
    let look = state.removeTimer(first).look!
    #expect(look.timerDate == 10 && !look.hasTimer)
    let second = state.move(to: 12, setsTimer: true)!
    #expect(text(state.end(isEarly: false, since: look)) == "nothing")
    #expect(text(fire(second, &state)) == "deadline")
  }

  @Test func aTimerThatWasDroppedServesNothing() {
    var state = Machine()
    let timer = state.move(to: 10, setsTimer: true)!
    #expect(state.look.serves(12, at: 3))
    _ = state.removeTimer(timer)
    #expect(!state.look.serves(12, at: 3))
  }

  @Test func aTimerServesWhileItsDateIsToCome() {
    var state = Machine()
    _ = state.move(to: 10, setsTimer: true)
    #expect(state.look.serves(12, at: 10))
    #expect(!state.look.serves(12, at: 11))
    #expect(state.look.serves(10, at: 3))
    #expect(!state.look.serves(9, at: 3))
  }
}
