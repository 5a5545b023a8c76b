import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

/// The state of one gate: the visits, and the faults.
final class GateRoom {
  let gate = Gate()
  var inside = 0
  var visits = 0
  var faults: [String] = []
  var hasEnded = false

  func visit() {
    if inside != 0 { faults.append("two threads are inside") }
    inside += 1
    Interleavings.point("thread \(Interleavings.thread ?? 0) is inside")
    visits += 1
    inside -= 1
  }

  func end() {
    hasEnded = true
    Interleavings.point("the connection has ended")
    gate.releaseWaiting()
  }

  /// A thread that sleeps forever would be reported as a deadlock.
  func faults(visits expected: ClosedRange<Int>) -> [String] {
    var faults = faults
    if !expected.contains(visits) { faults.append("\(visits) visits") }
    if !gate.enterIfFree() { faults.append("nobody has left it") }
    if gate.waiting.load(ordering: .relaxed) != 0 { faults.append("somebody is said to wait") }
    return faults
  }
}

/// What threads leave to the one inside a gate, which finds it when it leaves.
@Suite struct GateThreadTests {

  /// What finds the gate occupied is done by the thread inside.
  @Test(arguments: [1, 2])
  func workIsDelegatedToTheThreadInside(others: Int) {
    final class Work {
      let room = GateRoom()
      var due = 0
      var done = 0

      /// Does what is due. Called when `leave` has returned `true`, and with the gate entered.
      func doIt() {
        while room.gate.enterOrDelegate() {
          done += exchange(&due, with: 0)
          if !room.gate.leave() { return }
        }
      }

      func delegate() {
        due += 1
        if room.gate.enterOrDelegate() {
          done += exchange(&due, with: 0)
          if room.gate.leave() { doIt() }
        }
      }
    }
    expectNoFault("Gate, and work of \(others) others", preemptions: 4 - others, walksThroughGates: true) {
      let work = Work()
      let delegate: () -> Void = { work.delegate() }
      return ThreadedProgram(
        threads: [
          {
            for _ in 0..<2 {
              work.room.gate.pass(unless: { false }, delegated: { work.doIt() }) { work.room.visit() }
            }
          }
        ] + Array(repeating: delegate, count: others),
        faults: { work.room.faults(visits: 2...2) + (work.done == others ? [] : ["\(work.done) done"]) }
      )
    }
  }

  /// The owner of a flag sets it and looks for a thread inside; the thread inside looks for the flag.
  @Test func aThreadInsideSeesAFlagOrIsSeen() {
    final class Box {
      let gate = Gate()
      var isEnded = false
      var isInUse = false
      var releases = 0
      var faults: [String] = []

      func use() {
        guard gate.enterIfFree() else { return }
        if !isEnded {
          isInUse = true
          Interleavings.point("uses it")
          if releases > 0 { faults.append("released while it is used") }
          isInUse = false
        }
        gate.leave()
        if isEnded { release() }
      }

      func release() {
        guard gate.enterUnlessOccupied() else { return }
        if isInUse { faults.append("released while it is used") }
        if releases == 0 { releases += 1 }
        gate.leave()
      }
    }
    expectNoFault("Gate, and a flag", preemptions: 3, walksThroughGates: true) {
      let box = Box()
      return ThreadedProgram(
        threads: [
          { for _ in 0..<3 { box.use() } },
          {
            box.isEnded = true
            Interleavings.point("has ended")
            box.release()
          },
        ],
        faults: { box.faults + (box.releases == 1 ? [] : ["\(box.releases) releases"]) }
      )
    }
  }
}
