import Testing

@_spi(Companions) @testable import CombineTesting

struct VirtualAgendaTests {

  /// Compares random schedules with a list that is searched for the earliest action.
  @Test func randomSchedulesRunInOrder() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let agenda = VirtualAgenda(clock: 0)
      var expected: [(time: Int, number: Int)] = []
      var ran: [Int] = []
      var tokens: [VirtualAgenda<Int>.Token] = []
      for number in 0..<200 {
        let time = Int.random(in: 0..<40, using: &generator)
        tokens.append(agenda.schedule(at: time) { ran.append(number) })
        expected.append((time, number))
      }
      let cancelled = Set((0..<100).map { _ in Int.random(in: 0..<200, using: &generator) })
      for number in cancelled { agenda.cancel(tokens[number]) }
      #expect(agenda.waitingCount == 200 - cancelled.count)
      guard case .done = agenda.run() else {
        Issue.record("did not end")
        return
      }
      expected.removeAll { cancelled.contains($0.number) }
      #expect(ran == expected.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.number))
      #expect(agenda.waitingCount == 0)
    }
  }

  @Test func cancelledActionsAreRemoved() {
    let agenda = VirtualAgenda(clock: 0)
    var ran: [Int] = []
    agenda.schedule(at: 20_000) { ran.append(20_000) }
    for time in 0..<10_000 {
      let token = agenda.schedule(at: time) { ran.append(time) }
      if time % 1000 != 0 { agenda.cancel(token) }
    }
    #expect(agenda.waitingCount == 11)
    _ = agenda.run()
    #expect(ran == Array(stride(from: 0, to: 10_000, by: 1000)) + [20_000])
  }

  @Test func cancelledActionsDoNotFillTheMemory() {
    var state = AgendaState(clock: 0)
    let kept = (0..<10).map { state.add(AgendaState.Entry(action: {}, interval: nil), at: $0 * 100) }
    for time in 0..<10_000 {
      let order = state.add(AgendaState.Entry(action: {}, interval: nil), at: time)
      #expect(state.remove(order) != nil)
    }
    #expect(state.waitingCount == kept.count)
    #expect(state.queuedRunCount < 100)
  }

  @Test func cancellingTwiceOrTooLateHasNoEffect() {
    let agenda = VirtualAgenda(clock: 0)
    var ran: [String] = []
    let first = agenda.schedule(at: 1) { ran.append("first") }
    let second = agenda.schedule(at: 2) { ran.append("second") }
    agenda.cancel(second)
    agenda.cancel(second)
    _ = agenda.run(until: 1)
    agenda.cancel(first)
    _ = agenda.run()
    #expect(ran == ["first"])
    #expect(agenda.now == 1)
  }

  @Test func runsWithoutALimit() {
    let agenda = VirtualAgenda(clock: 0.0)
    var times: [Double] = []
    let token = agenda.repetition(from: 1e9, every: 0.5) { times.append(agenda.now) }
    _ = agenda.run(until: 1e9 + 1)
    token.cancel()
    #expect(times == [1e9, 1e9 + 0.5, 1e9 + 1])
  }
}
