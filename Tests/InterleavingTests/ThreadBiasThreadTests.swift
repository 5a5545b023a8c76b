import TestSupport
import Testing

@testable import CombineCore

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

/// A gate or a table that one thread has used belongs to it, until another one comes. A thread that an explorer directs gets
/// its mark with its first pass.
@Suite struct ThreadBiasThreadTests {

  /// A thread gets its mark with its first pass, so the second and the third are plain. The other thread takes it away.
  @Test(arguments: [1, 2])
  func aGateBelongsToAThreadUntilAnotherOneComes(others: Int) {
    expectNoFault("Gate, a thread with a mark and \(others) others", preemptions: 4 - others, walksThroughGates: true) {
      let room = GateRoom()
      let passes: () -> Void = {
        room.gate.pass { room.visit() }
        room.gate.pass { room.gate.pass { room.visit() } }
        room.gate.pass { room.visit() }
      }
      return ThreadedProgram(
        threads: [passes] + Array(repeating: { room.gate.pass { room.visit() } }, count: others),
        faults: { room.faults(visits: (3 + others)...(3 + others)) }
      )
    }
  }

  @Test func twoThreadsThatMayBothGetAMark() {
    expectNoFault("Gate, two threads that may have a mark", preemptions: 3, walksThroughGates: true) {
      let room = GateRoom()
      let passes: () -> Void = { for _ in 0..<2 { room.gate.pass { room.visit() } } }
      return ThreadedProgram(threads: [passes, passes], faults: { room.faults(visits: 4...4) })
    }
  }

  @Test func aGateWithAMarkEndsForWaitingThreads() {
    expectNoFault("Gate, a thread with a mark, one that waits, and an end", walksThroughGates: true) {
      let room = GateRoom()
      return ThreadedProgram(
        threads: [
          { for _ in 0..<2 { room.gate.pass { room.visit() } } },
          { room.gate.pass(unless: { room.hasEnded }) { room.visit() } },
          { room.end() },
        ],
        faults: { room.faults(visits: 2...3) }
      )
    }
  }

  /// The second thread becomes the owner for a moment, finds the mark set, and does not come back. The third one waits for it.
  @Test func aThreadThatGivesAGateBackLooksForThoseThatWait() {
    expectNoFault("Gate, a mark, one that only tries, and one that waits", preemptions: 4, walksThroughGates: true) {
      let room = GateRoom()
      return ThreadedProgram(
        threads: [
          { for _ in 0..<2 { room.gate.pass {} } },
          { if room.gate.enterIfFree() { room.gate.leave() } },
          { room.gate.pass { room.visit() } },
        ],
        faults: { room.faults(visits: 1...1) }
      )
    }
  }

  /// A mark that ended with another one comes back, unless a thread has been there.
  @Test(arguments: [false, true])
  func aThreadGetsItsOtherMarksAgain(hasVisitor: Bool) {
    expectNoFault("Gate, two marks of which one is taken away, visitor: \(hasVisitor)", walksThroughGates: true) {
      let (taken, other) = (GateRoom(), GateRoom())
      let visit: () -> Void = { other.gate.pass { other.visit() } }
      return ThreadedProgram(
        threads: [
          {
            taken.gate.pass { taken.visit() }
            for _ in 0..<4 { other.gate.pass { other.gate.pass { other.visit() } } }
          },
          { taken.gate.pass { taken.visit() } },
        ] + (hasVisitor ? [visit] : []),
        faults: {
          let hasMark = hasVisitor || other.gate.bias.isTaken
          return taken.faults(visits: 2...2) + (hasMark ? [] : ["the other mark is gone"])
            + other.faults(visits: hasVisitor ? 5...5 : 4...4)
        }
      )
    }
  }

  /// What finds the gate occupied is done by the thread inside, with a mark or without.
  @Test(arguments: [1, 2])
  func workIsDelegatedToAThreadWithAMark(others: Int) {
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
    expectNoFault("Gate, a mark and work of \(others) others", preemptions: 4 - others, walksThroughGates: true) {
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
  @Test func aThreadWithAMarkSeesAFlagOrIsSeen() {
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
    expectNoFault("Gate, a mark and a flag", preemptions: 3, walksThroughGates: true) {
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
