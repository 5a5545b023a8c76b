import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

/// The components that threads share without a lock, or with locks for parts only.
@Suite struct AtomicThreadTests {

  // MARK: Gate

  @Test func oneThreadAtATimeHoldsAGate() {
    final class Room {
      let gate = Gate()
      var inside: [Int] = []
      var faults: [String] = []
      var visits = 0

      func visit(_ name: Int) {
        if let other = inside.last, other != name { faults.append("\(name) is inside with \(other)") }
        inside.append(name)
        Interleavings.point("\(name) is inside")
        visits += 1
        inside.removeLast()
      }
    }
    expectNoFault("Gate, three threads") {
      let room = Room()
      return ThreadedProgram(
        threads: [
          {
            room.gate.pass {
              room.visit(1); room.gate.pass { room.visit(1) }
            }
          },
          { room.gate.pass { room.visit(2) } },
          { if room.gate.enterUnlessOccupied() { room.visit(3); room.gate.leave() } },
        ],
        faults: { room.faults + (room.visits >= 3 && room.inside.isEmpty ? [] : ["\(room.visits) visits"]) }
      )
    }
  }

  @Test(arguments: [2, 3])
  func aGateWakesWaitingThreadsOrPassesToThem(threads: Int) {
    expectNoFault("Gate, \(threads) threads that wait", preemptions: 5 - threads, walksThroughGates: true) {
      let room = GateRoom()
      return ThreadedProgram(
        threads: Array(repeating: { room.gate.pass { room.visit() } }, count: threads),
        faults: { room.faults(visits: threads...threads) }
      )
    }
  }

  @Test func aThreadMayEnterAGateAgainAfterLeavingIt() {
    expectNoFault("Gate, a thread that comes back while another one waits", preemptions: 3, walksThroughGates: true) {
      let room = GateRoom()
      return ThreadedProgram(
        threads: [
          {
            room.gate.pass { room.visit() }
            room.gate.pass { room.visit() }
          },
          { room.gate.pass { room.visit() } },
        ],
        faults: { room.faults(visits: 3...3) }
      )
    }
  }

  @Test func aGateReleasesWaitingThreadsWhenTheSubscriptionEnds() {
    expectNoFault("Gate, a thread that waits and an end", preemptions: 3, walksThroughGates: true) {
      let room = GateRoom()
      return ThreadedProgram(
        threads: [
          { room.gate.pass { room.visit() } },
          { room.gate.pass(unless: { room.hasEnded }) { room.visit() } },
          { room.end() },
        ],
        faults: { room.faults(visits: 1...2) }
      )
    }
  }

  @Test func aThreadThatReturnsAtTheEndWakesTheNext() {
    expectNoFault("Gate, a thread that returns, and one that waits on", walksThroughGates: true) {
      let room = GateRoom()
      return ThreadedProgram(
        threads: [
          {
            room.gate.pass { room.visit() }; room.end()
          },
          { room.gate.pass(unless: { room.hasEnded }) { room.visit() } },
          { room.gate.pass { room.visit() } },
        ],
        faults: { room.faults(visits: 2...3) }
      )
    }
  }

  @Test func aRemovedTableElementIsReleasedWhenNoWalkCanReachIt() {
    final class Element: SubscriberListElement {
      var isGone = false
      override func releaseContents() {
        isGone = true
      }
    }
    final class Box {
      let table = SubscriberTable()
      var faults: [String] = []

      func send() {
        table.send { element in
          let element = element as! Element
          if element.isGone { faults.append("a send has met a released element") }
          Interleavings.point("thread \(Interleavings.thread ?? 0) visits")
          if element.isGone { faults.append("an element was released during a visit") }
        }
      }
    }
    expectNoFault("SubscriberTable, two sends and two removals", preemptions: 3) {
      let box = Box()
      let elements = [Element(), Element()]
      for element in elements { box.table.add(element) }
      return ThreadedProgram(
        threads: [
          { box.send() },
          { box.send() },
          { for element in elements { box.table.remove(element) } },
        ],
        faults: { box.faults + (elements.allSatisfy(\.isGone) ? [] : ["something is kept"]) }
      )
    }
  }

  // MARK: DemandCounter

  @Test func aDemandCounterLosesAndInventsNothing() {
    final class Box {
      let counter = DemandCounter()
      var taken = 0
    }
    for (initial, added) in [(1, Subscribers.Demand.max(2)), (1, .unlimited), (0, .max(1))] {
      expectNoFault("DemandCounter, \(initial), takes and an addition of \(added)", preemptions: 4) {
        let box = Box()
        box.counter.add(.max(initial))
        let take = { if box.counter.take() { box.taken += 1 } }
        return ThreadedProgram(
          threads: [
            {
              take(); take()
            }, { take() }, { box.counter.add(added) },
          ],
          faults: {
            guard added != .unlimited else { return box.counter.value == .unlimited ? [] : ["\(box.counter.value)"] }
            let left = Subscribers.Demand.max(initial) + added - box.taken
            return box.counter.value == left ? [] : ["\(box.counter.value) is left, not \(left)"]
          }
        )
      }
    }
  }

  @Test func aDemandCounterEndsOnce() {
    final class Box {
      let counter = DemandCounter()
      var taken = 0
      var ends = 0
    }
    for initial in [Subscribers.Demand.max(2), .unlimited] {
      expectNoFault("DemandCounter, \(initial), a take, an addition and two ends", preemptions: 4) {
        let box = Box()
        box.counter.add(initial)
        let end = { if box.counter.end() { box.ends += 1 } }
        return ThreadedProgram(
          threads: [
            {
              if box.counter.take() { box.taken += 1 }
              box.counter.add(.max(1))
              end()
            }, { end() },
          ],
          faults: {
            let hasMore = box.counter.take()
            // The rest: the addition came before the end, or after it.
            let left = [initial - box.taken, initial - box.taken + 1]
            return (box.ends == 1 && !hasMore && left.contains(box.counter.value))
              ? [] : ["\(box.ends) ends, \(box.taken) taken, \(box.counter.value)"]
          }
        )
      }
    }
  }

  // MARK: Releasable

  @Test func aLeaseReleasesItsValueOnceItIsUnused() {
    final class Log {
      var isGone = false
      var faults: [String] = []
      var hasEnded = false
    }
    final class Value {
      let log: Log
      init(_ log: Log) { self.log = log }
      deinit {
        if log.isGone { log.faults.append("gone twice") }
        log.isGone = true
      }
    }
    final class Holder {
      let lease: Releasable<Value>
      let log: Log

      init(_ log: Log) {
        self.log = log
        lease = Releasable(Value(log))
      }

      func use(nested: Bool = false) {
        let hadEnded = log.hasEnded
        lease.use { value in
          if hadEnded { log.faults.append("used after its end") }
          Interleavings.point("uses it")
          if log.isGone { log.faults.append("gone while it is used") }
          if nested { use() }
          Interleavings.point("has used it")
          if log.isGone { log.faults.append("gone while it is used") }
          withExtendedLifetime(value) {}
        }
      }

      func end() {
        lease.end()
        log.hasEnded = true
      }
    }
    for nested in [false, true] {
      expectNoFault("Releasable, \(nested ? "nested uses" : "uses") and an end", preemptions: 3) {
        let log = Log()
        let holder = Holder(log)
        return ThreadedProgram(
          threads: [{ holder.use(nested: nested) }, { holder.use() }, { holder.end() }],
          faults: {
            let isGone = log.isGone
            withExtendedLifetime(holder) {}
            return log.faults + (isGone ? [] : ["never gone"])
          }
        )
      }
    }
    expectNoFault("Releasable, two ends and a use", preemptions: 3) {
      let log = Log()
      let holder = Holder(log)
      return ThreadedProgram(
        threads: [{ holder.use() }, { holder.end() }, { holder.end() }],
        faults: {
          let isGone = log.isGone
          withExtendedLifetime(holder) {}
          return log.faults + (isGone ? [] : ["never gone"])
        }
      )
    }
  }

  // MARK: SubscriberTable

  private final class Visits {
    var faults: [String] = []
    var seen: [[Int]] = []
    var gone: Set<Int> = []
    var removed: Set<Int> = []
  }

  private final class Element: SubscriberListElement {
    let name: Int
    let visits: Visits

    init(_ name: Int, _ visits: Visits) {
      self.name = name
      self.visits = visits
    }

    deinit { visits.gone.insert(name) }

    override func releaseContents() {
      if visits.gone.contains(name) { visits.faults.append("\(name) is let go twice") }
      visits.gone.insert(name)
    }
  }

  /// A table with elements to which the test has weak references only.
  private final class Subject {
    let table = SubscriberTable()
    let visits = Visits()
    private weak var first: Element?
    private weak var second: Element?

    init(_ count: Int) {
      for number in 1...count { add(number) }
    }

    func add(_ number: Int) {
      let element = Element(number, visits)
      if number == 1 { first = element }
      if number == 2 { second = element }
      table.add(element)
    }

    func remove(_ number: Int) {
      guard let element = number == 1 ? first : second else { return }
      table.remove(element)
      visits.removed.insert(number)
    }

    func send() {
      let removedBefore = visits.removed
      var seen: [Int] = []
      table.send { element in
        let element = element as! Element
        // A released element has no number to read.
        Interleavings.point("visits one")
        let number = element.name
        if visits.gone.contains(number) { visits.faults.append("\(number) is gone while it is visited") }
        if removedBefore.contains(number) { visits.faults.append("\(number) was removed before the send") }
        seen.append(number)
        Interleavings.point("has visited \(number)")
        if visits.gone.contains(number) { visits.faults.append("\(number) is gone while it is visited") }
      }
      visits.seen.append(seen)
    }

    /// Returns the faults of any program, and the elements that were removed but are still kept.
    func faults(staying: Set<Int>) -> [String] {
      var faults = visits.faults
      for seen in visits.seen {
        if Set(seen).count != seen.count { faults.append("\(seen): visited twice") }
        if !staying.isSubset(of: seen) { faults.append("\(seen): not all of \(staying)") }
      }
      if !visits.removed.isSubset(of: visits.gone) { faults.append("removed and still kept: \(visits.removed)") }
      if !visits.gone.isDisjoint(with: staying) { faults.append("gone: \(visits.gone)") }
      return faults
    }
  }

  @Test func aTableMayChangeDuringAWalk() {
    expectNoFault("SubscriberTable, a send, a removal and an addition") {
      let subject = Subject(2)
      return ThreadedProgram(
        threads: [{ subject.send() }, { subject.remove(1) }, { subject.add(3) }],
        faults: { subject.faults(staying: [2]) }
      )
    }
    expectNoFault("SubscriberTable, two sends and two removals") {
      let subject = Subject(3)
      return ThreadedProgram(
        threads: [
          { subject.send() },
          {
            subject.remove(1); subject.remove(2)
          }, { subject.send() },
        ],
        faults: { subject.faults(staying: [3]) }
      )
    }
  }

  @Test func aTableMayBeEmptiedDuringAWalk() {
    expectNoFault("SubscriberTable, a send, and all are removed one by one", preemptions: 3) {
      let subject = Subject(2)
      return ThreadedProgram(
        threads: [
          {
            subject.send(); subject.send()
          },
          {
            subject.remove(1); subject.remove(2)
          },
        ],
        faults: { subject.faults(staying: []) }
      )
    }
    expectNoFault("SubscriberTable, a send and all are removed at once") {
      let subject = Subject(2)
      return ThreadedProgram(
        threads: [
          { subject.send() },
          {
            subject.table.removeAll()
            subject.visits.removed = [1, 2]
          },
          { subject.remove(1) },
        ],
        faults: { subject.faults(staying: []) }
      )
    }
    expectNoFault("SubscriberTable, a send, the last is removed and another comes") {
      let subject = Subject(1)
      return ThreadedProgram(
        threads: [
          { subject.send() },
          {
            subject.remove(1); subject.add(2)
          }, { subject.send() },
        ],
        faults: { subject.faults(staying: []) }
      )
    }
  }
}
