import CombineCore
import TestSupport
import Testing

@testable import CombineExtras

/// Calls of several threads to groups and windows, and to what publishes their elements.
@Suite struct ExtrasGroupingThreadTests {

  /// The publishers that an operator has published, each with a subscriber of its own.
  private final class Members {
    private(set) var opened: [(key: Int, witness: Witness<Int>)] = []

    func open<P: Publisher<Int, TestError>>(_ publisher: P, key: Int = 0) {
      let witness = Witness<Int>()
      opened.append((key, witness))
      publisher.subscribe(witness)
    }

    func of(_ key: Int) -> [Witness<Int>] {
      opened.filter { $0.key == key }.map(\.witness)
    }

    /// The values of all members of a key, in the order in which the members were published.
    func values(of key: Int = 0) -> [Int] {
      of(key).flatMap(\.values)
    }

    var faults: [String] { opened.flatMap(\.witness.faults) }
  }

  /// Groups by the remainder, whose keys are published.
  private struct Groups {
    let upstream = Feed<Int>("upstream")
    let members = Members()
    let downstream = Witness<Int>()

    init(maxGroups: Int? = nil) {
      upstream.groupBy(maxGroups: maxGroups) { $0 % 2 }.map { [members] group in
        members.open(group, key: group.key)
        return group.key
      }.subscribe(downstream)
    }

    var verdict: Verdict {
      var verdict = Verdict(downstream)
      for fault in members.faults { verdict.require(false, fault) }
      return verdict
    }
  }

  // MARK: groupBy

  @Test func twoThreadsOpenTheGroupOfOneKeyOnce() {
    expectNoFault("groupBy, two elements of a new key") {
      let groups = Groups()
      return ThreadedProgram(
        threads: [{ groups.upstream.send(1) }, { groups.upstream.send(3) }],
        faults: {
          var verdict = groups.verdict
          verdict.require(groups.members.of(1).count == 1, "\(groups.members.of(1).count) groups of the key")
          verdict.require(groups.members.values(of: 1).sorted() == [1, 3], "\(groups.members.values(of: 1)) arrive")
          return verdict.faults
        }
      )
    }
  }

  @Test func aGroupIsCancelledWhileAnotherOneOpens() {
    expectNoFault("groupBy, a group's cancel and another group") {
      let groups = Groups()
      groups.upstream.send(0)
      let first = groups.members.opened[0].witness
      return ThreadedProgram(
        threads: [
          {
            groups.upstream.send(2)
            groups.upstream.send(1)
            groups.upstream.send(4)
          }, { first.cancel() },
        ],
        faults: {
          groups.upstream.send(6)
          var verdict = groups.verdict
          verdict.require(groups.members.values(of: 0), areOf: [[0, 2, 4, 6]], completely: false)
          verdict.require(groups.members.values(of: 1) == [1], "\(groups.members.values(of: 1)) in the other group")
          verdict.require(groups.members.of(0).last?.values.last == 6, "no group opens after the cancel")
          verdict.require(groups.members.of(0).count == 2, "\(groups.members.of(0).count) groups of the key")
          verdict.require(groups.upstream.cancelCount == 0, "the upstream is cancelled")
          return verdict.faults
        }
      )
    }
  }

  @Test func aGroupIsEvictedWhileItIsCancelled() {
    expectNoFault("groupBy, an eviction and a cancel") {
      let groups = Groups(maxGroups: 1)
      groups.upstream.send(0)
      let first = groups.members.opened[0].witness
      return ThreadedProgram(
        threads: [
          {
            groups.upstream.send(1)
            groups.upstream.send(2)
          }, { first.cancel() },
        ],
        faults: {
          groups.upstream.complete()
          var verdict = groups.verdict
          verdict.require(groups.members.opened.map(\.witness.values) == [[0], [1], [2]], "\(groups.members.opened)")
          verdict.require(groups.members.opened.dropFirst().allSatisfy(\.witness.isCompleted), "a group goes on")
          verdict.requireEnd(of: groups.downstream, after: [0, 1, 0])
          verdict.require(groups.upstream.cancelCount == 0, "the upstream is cancelled")
          return verdict.faults
        }
      )
    }
  }

  @Test func theLastOfTheGroupsAndTheDownstreamCancelsTheUpstream() {
    expectNoFault("groupBy, the cancels of a group and of the downstream") {
      let groups = Groups()
      groups.upstream.send(0)
      let first = groups.members.opened[0].witness
      return ThreadedProgram(
        threads: [{ groups.downstream.cancel() }, { first.cancel() }, { groups.upstream.send(2) }],
        faults: {
          var verdict = groups.verdict
          // If the group is cancelled before the downstream, the element may open another group, which goes on.
          for member in groups.members.of(0) { member.cancel() }
          verdict.require(
            groups.upstream.cancelCount == 1,
            "the upstream was cancelled \(groups.upstream.cancelCount) times"
          )
          verdict.require(groups.members.values(of: 0), areOf: [[0, 2]], completely: false)
          return verdict.faults
        }
      )
    }
  }

  @Test func aGroupIsCancelledWhileTheUpstreamFinishes() {
    expectNoFault("groupBy, a group's cancel and the finish") {
      let groups = Groups()
      groups.upstream.send(0)
      let first = groups.members.opened[0].witness
      return ThreadedProgram(
        threads: [
          {
            groups.upstream.send(1)
            groups.upstream.complete()
          }, { first.cancel() },
        ],
        faults: {
          var verdict = groups.verdict
          verdict.requireEnd(of: groups.downstream, after: [0, 1])
          verdict.require(groups.members.of(1).allSatisfy(\.isCompleted), "the other group goes on")
          verdict.require(groups.upstream.cancelCount == 0, "the upstream is cancelled")
          return verdict.faults
        }
      )
    }
  }

  // MARK: Windows

  /// Windows by time. The downstream gets the number of each window.
  private struct Windows {
    let upstream = Feed<Int>("upstream")
    let scheduler = StepScheduler()
    let members = Members()
    let downstream = Witness<Int>()

    init(maxCount: Int? = nil) {
      upstream.window(for: 10, maxCount: maxCount, scheduler: scheduler).map { [members] window in
        members.open(window)
        return members.opened.count
      }.subscribe(downstream)
    }

    var values: [[Int]] { members.opened.map(\.witness.values) }

    var verdict: Verdict {
      var verdict = Verdict(downstream)
      for fault in members.faults { verdict.require(false, fault) }
      return verdict
    }
  }

  @Test func elementsAndTheTickOfAWindow() {
    expectNoFault("window, elements and a tick") {
      let windows = Windows()
      return ThreadedProgram(
        threads: [
          {
            windows.upstream.send(1)
            windows.upstream.send(2)
          }, { windows.scheduler.fire() },
        ],
        faults: {
          var verdict = windows.verdict
          verdict.require([[[], [1, 2]], [[1], [2]], [[1, 2], []]].contains(windows.values), "\(windows.values)")
          verdict.require(windows.members.of(0).map(\.isCompleted) == [true, false], "the first window goes on")
          return verdict.faults
        }
      )
    }
  }

  @Test func theTickOfAWindowThatAnElementFills() {
    expectNoFault("window, a tick of a full window") {
      let windows = Windows(maxCount: 2)
      windows.upstream.send(1)
      return ThreadedProgram(
        threads: [{ windows.upstream.send(2) }, { windows.scheduler.fire(1) }],
        faults: {
          var verdict = windows.verdict
          // An element that fills the window restarts the clock, so the old timer closes no window after it.
          verdict.require([[[1], [2]], [[1, 2], []]].contains(windows.values), "\(windows.values)")
          windows.scheduler.fire()
          verdict.require(windows.values.count == 3, "the clock has stopped: \(windows.values)")
          return verdict.faults
        }
      )
    }
  }

  @Test func aFinishAndTheTickOfAWindow() {
    expectNoFault("window, a finish, a tick and a cancel") {
      let windows = Windows()
      return ThreadedProgram(
        threads: [
          {
            windows.upstream.send(1)
            windows.upstream.complete()
          }, { windows.scheduler.fire() },
        ],
        faults: {
          var verdict = windows.verdict
          verdict.require(windows.members.values() == [1], "\(windows.values)")
          verdict.require(windows.members.of(0).allSatisfy(\.isCompleted), "a window goes on")
          verdict.require(windows.downstream.isCompleted, "the completion is missing")
          let count = windows.values.count
          windows.scheduler.fire()
          verdict.require(windows.values.count == count, "the clock goes on")
          return verdict.faults
        }
      )
    }
  }

  // MARK: Unicast

  /// What publishes the elements of a group or a window.
  private final class Source {
    private(set) var cancelCount = 0
    private(set) lazy var unicast = Unicast<Int, TestError>(description: "Test") { [unowned self] _ in
      cancelCount += 1
    }

    func subscribe(_ witness: Witness<Int>) {
      Interleavings.point("the member is subscribed to")
      ExtraConduits.UnicastMember(downstream: witness, unicast: unicast).start()
    }
  }

  @Test func aMemberIsSubscribedToWhileItReceives() {
    expectNoFault("unicast, a subscriber and elements") {
      let source = Source()
      let witness = Witness<Int>(requesting: .max(1)) { $0 == 1 ? .max(1) : .none }
      source.unicast.send(1)
      return ThreadedProgram(
        threads: [
          {
            source.unicast.send(2)
            source.unicast.send(3)
            source.unicast.send(completion: .finished)
          }, { source.subscribe(witness) }, { witness.request(.max(1)) },
        ],
        faults: {
          // A request before the subscription has no effect.
          if !witness.isCompleted { witness.request(.max(1)) }
          var verdict = Verdict(witness)
          verdict.requireEnd(of: witness, after: [1, 2, 3])
          verdict.require(source.cancelCount == 0, "the operator is told of a cancel")
          return verdict.faults
        }
      )
    }
  }

  @Test func aMemberIsCancelledWhileItReceives() {
    expectNoFault("unicast, a subscriber, elements and a cancel") {
      let source = Source()
      let witness = Witness<Int>()
      source.unicast.send(1)
      var hasCancelled = false
      return ThreadedProgram(
        threads: [
          {
            source.unicast.send(2)
            source.unicast.send(completion: .finished)
          }, { source.subscribe(witness) },
          {
            witness.cancel()
            hasCancelled = witness.subscription != nil
          },
        ],
        faults: {
          var verdict = Verdict(witness)
          verdict.require(witness.values, areOf: [[1, 2]], completely: false)
          verdict.require(
            witness.isCompleted || hasCancelled,
            "neither completed nor cancelled"
          )
          verdict.require(source.cancelCount <= 1, "the operator is told of \(source.cancelCount) cancels")
          verdict.require(!source.unicast.isSubscribed, "the subscriber is still there")
          return verdict.faults
        }
      )
    }
  }

  @Test func onlyOneOfTwoSubscribersGetsTheElements() {
    expectNoFault("unicast, two subscribers") {
      let source = Source()
      let witnesses = [Witness<Int>(), Witness<Int>()]
      source.unicast.send(1)
      return ThreadedProgram(
        threads: [{ source.subscribe(witnesses[0]) }, { source.subscribe(witnesses[1]) }, { source.unicast.send(2) }],
        faults: {
          var verdict = Verdict(witnesses[0])
          for fault in witnesses[1].faults { verdict.require(false, fault) }
          let values = witnesses.map(\.values).sorted { $0.count < $1.count }
          verdict.require(values == [[], [1, 2]], "\(values)")
          verdict.require(witnesses.allSatisfy { $0.isCompleted == $0.values.isEmpty }, "the finish is missing")
          return verdict.faults
        }
      )
    }
  }
}
