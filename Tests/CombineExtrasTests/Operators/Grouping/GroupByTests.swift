import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct GroupByTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Groups = RecordingSubscriber<GroupedPublisher<Bool, Int, TestError>, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  private func isEven(_ number: Int) -> Bool { number.isMultiple(of: 2) }

  @Test func publishesAGroupForEachKeyAndTheElementsInTheirGroups() {
    marbles(of: Int.self, outputs: ["p": "o1", "q": "e2", "r": "o3", "s": "e4"]) {
      "-1-2-3-4-|"
      $0[0].groupBy { $0.isMultiple(of: 2) }.flatMap { group in group.map { "\(group.key ? "e" : "o")\($0)" } }
      "-p-q-r-s-|"
    }
  }

  @Test func elementsWaitForTheSubscriberOfTheirGroup() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    #expect(upstream.history == [.requested(.unlimited)])
    for number in 1...5 { upstream.send(number) }
    #expect(groups.values.map(\.key) == [false, true])
    let odd = Downstream(requesting: .max(2))
    groups.values[0].subscribe(odd)
    #expect(odd.values == [1, 3])
    odd.request(.max(1))
    #expect(odd.values == [1, 3, 5])
  }

  @Test func groupsNeedDemandToo() {
    let upstream = Upstream()
    let groups = Groups(requesting: .max(1))
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    upstream.send(2)
    #expect(groups.values.count == 1)
    groups.request(.max(1))
    #expect(groups.values.map(\.key) == [false, true])
    let even = Downstream(requesting: .unlimited)
    groups.values[1].subscribe(even)
    #expect(even.values == [2])
  }

  @Test func theCompletionComesAfterTheLastElement() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    upstream.send(2)
    let odd = Downstream(requesting: .max(1))
    groups.values[0].subscribe(odd)
    upstream.send(3)
    upstream.send(completion: .failure("wrong"))
    #expect(groups.events.last.map { if case .failure = $0 { true } else { false } } == true)
    #expect(odd.values == [1])
    odd.request(.max(1))
    #expect(odd.events.suffix(2) == [.value(3), .failure("wrong")])
    let even = Downstream(requesting: .unlimited)
    groups.values[1].subscribe(even)
    #expect(even.events.dropFirst() == [.value(2), .failure("wrong")])
  }

  @Test func aCompletionInsideTheCompletionOfAGroupIsIgnored() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    let odd = Downstream(requesting: .unlimited)
    odd.onCompletion = { _ in upstream.send(completion: .failure("late")) }
    groups.values[0].subscribe(odd)
    upstream.send(completion: .finished)
    #expect(odd.events.last == .finished)
    #expect(groups.events.last.map { if case .finished = $0 { true } else { false } } == true)
  }

  @Test func aSecondSubscriberOfAGroupGetsAFinishOnly() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .unlimited))
    groups.values[0].subscribe(first)
    groups.values[0].subscribe(second)
    #expect(second.events.dropFirst() == [.finished])
    second.cancel()
    upstream.send(3)
    #expect(first.values == [1, 3])
  }

  @Test func aCancelClosesAGroupAndTheNextElementOpensAnother() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    let first = Downstream(requesting: .unlimited)
    groups.values[0].subscribe(first)
    first.cancel()
    upstream.send(3)
    #expect(first.values == [1])
    #expect(groups.values.map(\.key) == [false, false])
    let second = Downstream(requesting: .unlimited)
    groups.values[1].subscribe(second)
    #expect(second.values == [3])
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test func groupsGoOnAfterTheirPublisherIsCancelled() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    let odd = Downstream(requesting: .unlimited)
    groups.values[0].subscribe(odd)
    groups.cancel()
    upstream.send(2)
    upstream.send(3)
    #expect(groups.values.count == 1)
    #expect(odd.values == [1, 3])
    #expect(!upstream.history.contains(.cancelled))
    odd.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func withoutAGroupACancelReachesTheUpstream() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    groups.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func aNewGroupBeyondTheMaximumFinishesTheOneUsedLeastRecently() {
    let upstream = Upstream()
    let groups = RecordingSubscriber<GroupedPublisher<Int, Int, TestError>, TestError>(requesting: .unlimited)
    var members: [Downstream] = []
    groups.onValue = { group in
      let member = Downstream(requesting: .unlimited)
      members.append(member)
      group.subscribe(member)
      return .none
    }
    upstream.groupBy(maxGroups: 2) { $0 / 10 }.subscribe(groups)
    for number in [10, 20, 11, 30, 21] { upstream.send(number) }
    #expect(groups.values.map(\.key) == [1, 2, 3, 2])
    #expect(members[0].events.dropFirst() == [.value(10), .value(11), .finished])
    #expect(members[1].events.dropFirst() == [.value(20), .finished])
    #expect(members[2].events.dropFirst() == [.value(30)])
    #expect(members[3].events.dropFirst() == [.value(21)])
  }

  @Test func aGroupThatNobodyHasSubscribedToFinishesWhenTheUpstreamIsCancelled() {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
    upstream.send(1)
    groups.cancel()
    let odd = Downstream(requesting: .unlimited)
    groups.values[0].subscribe(odd)
    #expect(odd.events.dropFirst() == [.value(1), .finished])
  }

  @Test(arguments: [true, false]) func aKeyIsNotAskedForAfterTheEnd(isCancelled: Bool) {
    let upstream = Upstream()
    let groups = Groups(requesting: .unlimited)
    var keys: [Int] = []
    upstream.groupBy { number in
      keys.append(number)
      return number.isMultiple(of: 2)
    }
    .subscribe(groups)
    upstream.send(1)
    if isCancelled { groups.cancel() } else { upstream.send(completion: .finished) }
    upstream.send(2)
    #expect(keys == [1])
  }

  @Test func releasesEverythingAfterTheEnd() {
    weak var released: Groups?
    weak var releasedMember: Downstream?
    do {
      let upstream = Upstream()
      let groups = Groups(requesting: .unlimited)
      let member = Downstream(requesting: .unlimited)
      upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
      upstream.send(1)
      groups.values[0].subscribe(member)
      released = groups
      releasedMember = member
      upstream.send(completion: .finished)
      groups.clear()
      upstream.dropSubscriber()
    }
    #expect(released == nil)
    #expect(releasedMember == nil)
  }

  @Test func releasesTheSubscribersOfGroupsWithAnAbandonedUpstream() {
    weak var released: Downstream?
    do {
      let upstream = Upstream()
      let groups = Groups(requesting: .unlimited)
      let member = Downstream(requesting: .unlimited)
      upstream.groupBy { $0.isMultiple(of: 2) }.subscribe(groups)
      upstream.send(1)
      groups.values[0].subscribe(member)
      #expect(member.values == [1])
      released = member
      member.dropSubscription()
      groups.clear()
      groups.dropSubscription()
      upstream.dropSubscriber()
    }
    #expect(released == nil)
  }

  @Test func oneThreadSendsWhileOthersCancelTheirGroups() {
    let subject = PassthroughSubject<Int, Never>()
    let log = SharedLog<Int>()
    let sink = subject.groupBy { $0 % 8 }
      .flatMap { group in group.prefix(3).subscribe(on: ImmediateScheduler.shared) }
      .sink { log.append($0) }
    onThreads(2) { thread in
      for number in 0..<400 where number % 2 == thread { subject.send(number) }
    }
    #expect(log.values.count == Set(log.values).count)
    #expect(log.values.count > 300)
    sink.cancel()
  }

  // MARK: Keys whose code uses the pipeline

  /// Groups by a key with one hash for all, whose comparison calls a closure once.
  private final class HookedGroups {

    let upstream = PassthroughSubject<Int, Never>()
    let log = SharedLog<String>()
    private let hook = HookedKey.Hook()
    private var cancellable: AnyCancellable?

    /// - Parameter group: A closure that makes of a group what is recorded of it.
    init(_ group: @escaping (GroupedPublisher<HookedKey, Int, Never>) -> AnyPublisher<Int, Never>) {
      cancellable = upstream.groupBy { [hook] in HookedKey(number: $0 % 10, hook: hook) }
        .flatMap { published in
          let number = published.key.number
          return group(published).map { "\(number): \($0)" }.prepend("\(number) opens")
        }
        .sink { [log] in log.append($0) }
    }

    /// Sends a value, and calls a closure when its key is compared first.
    func send(_ value: Int, inComparison action: @escaping () -> Void) {
      hook.action = action
      upstream.send(value)
      #expect(hook.action == nil)
    }
  }

  @Test func anElementSentInAComparisonOpensTheGroupOnce() {
    let groups = HookedGroups { $0.eraseToAnyPublisher() }
    groups.upstream.send(1)
    groups.send(2) { groups.upstream.send(12) }
    groups.send(3) { groups.upstream.send(4) }
    groups.send(11) { groups.upstream.send(21) }
    #expect(
      groups.log.values == [
        "1 opens", "1: 1", "2 opens", "2: 12", "2: 2", "4 opens", "4: 4", "3 opens", "3: 3", "1: 21", "1: 11",
      ]
    )
  }

  @Test func anElementWhoseGroupClosesInTheComparisonOpensAnother() {
    let closing = PassthroughSubject<Void, Never>()
    let groups = HookedGroups { $0.prefix(untilOutputFrom: closing).eraseToAnyPublisher() }
    groups.upstream.send(1)
    groups.send(11) { closing.send() }
    #expect(groups.log.values == ["1 opens", "1: 1", "1 opens", "1: 11"])
  }

  @Test func anElementAfterTheEndInAComparisonIsDropped() {
    let groups = HookedGroups { $0.eraseToAnyPublisher() }
    groups.upstream.send(1)
    groups.send(2) { groups.upstream.send(completion: .finished) }
    #expect(groups.log.values == ["1 opens", "1: 1"])
  }
}
