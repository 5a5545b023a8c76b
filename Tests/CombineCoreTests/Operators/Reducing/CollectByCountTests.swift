import TestSupport
import Testing

@testable import CombineCore

@Suite struct CollectByCountTests {

  private typealias Recorder = RecordingSubscriber<[Int], TestError>

  private func attach(
    _ count: Int,
    subscription: ManualSubscription? = ManualSubscription(),
    requesting initial: Subscribers.Demand? = nil,
    returning: Subscribers.Demand = .none
  ) -> (TestUpstream, Recorder) {
    let upstream = TestUpstream(subscription: subscription)
    let recorder = Recorder(
      onSubscription: { subscription in initial.map { subscription.request($0) } },
      onValue: { _ in returning }
    )
    upstream.collect(count).subscribe(recorder)
    recorder.clear()
    return (upstream, recorder)
  }

  @Test func aBatchReturnsItsElementsWhenItIsComplete() {
    var batch = CountedBatch<Int>()
    #expect(batch.append(1, completingAt: 2) == nil)
    #expect(batch.elements == [1])
    #expect(batch.append(2, completingAt: 2) == [1, 2])
    #expect(batch.elements == [])
    #expect(batch.append(3, completingAt: 2) == nil)
    #expect(batch.removeAll() == [3])
    #expect(batch.removeAll() == [])
  }

  @Test(arguments: [0, -1]) func aBatchWithoutAPositiveLengthIsNeverComplete(count: Int) {
    var batch = CountedBatch<Int>()
    #expect((0..<5).allSatisfy { batch.append($0, completingAt: count) == nil })
    #expect(batch.elements.count == 5)
  }

  @Test func hasItsOwnSubscription() {
    let upstream = TestUpstream()
    let recorder = Recorder()
    recorder.onSubscription = { _ in #expect(upstream.history == []) }
    upstream.collect(2).subscribe(recorder)
    #expect(recorder.events == [.subscription("CollectByCount")])
    #expect(upstream.history == [], "nothing is requested without demand")
    #expect(recorder.subscription!.combineIdentifier == upstream.subscriber!.combineIdentifier)

    let identifier = upstream.subscriber!.combineIdentifier
    upstream.collect(2).subscribe(Recorder())
    #expect(identifier != upstream.subscriber!.combineIdentifier)
  }

  @Test func publishesFullArraysAndTheRestAtTheEnd() {
    let (upstream, recorder) = attach(4, requesting: .max(2), returning: .max(3))
    #expect(upstream.history == [.requested(.max(8))])
    #expect([1, 2, 3].map { upstream.send($0) } == [.none, .none, .none])
    #expect(recorder.events == [])
    #expect(upstream.send(4) == .max(12))
    #expect(recorder.events == [.value([1, 2, 3, 4])])
    #expect((5...10).map { upstream.send($0) } == [.none, .none, .none, .max(12), .none, .none])
    upstream.send(completion: .finished)

    #expect(recorder.events == [.value([1, 2, 3, 4]), .value([5, 6, 7, 8]), .value([9, 10]), .finished])
    #expect(upstream.history == [.requested(.max(8))])
  }

  @Test func multipliesDemand() {
    let (upstream, recorder) = attach(3, returning: .unlimited)
    recorder.request(.max(1))
    recorder.request(.max(5))
    recorder.request(.max(.max))
    recorder.request(.unlimited)
    #expect(
      upstream.history == [.requested(.max(3)), .requested(.max(15)), .requested(.unlimited), .requested(.unlimited)]
    )
    #expect([1, 2, 3].map { upstream.send($0) } == [.none, .none, .unlimited])
  }

  @Test func takesOneSubscription() {
    let (upstream, recorder) = attach(2)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    upstream.send(subscription: upstream.subscription!)
    #expect(second.history == [.cancelled])
    #expect(upstream.history == [.cancelled])
    recorder.cancel()
    #expect(upstream.history == [.cancelled, .cancelled])
    #expect(recorder.events == [])
  }

  @Test func withoutAPositiveCountAllValuesArePublishedAtTheFinish() {
    let (upstream, recorder) = attach(0, requesting: .max(3))
    for value in 1...3 { #expect(upstream.send(value) == .none) }
    upstream.send(completion: .finished)
    #expect(recorder.events == [.value([1, 2, 3]), .finished])
    #expect(upstream.history == [.requested(.none)])

    let (negative, other) = attach(-2)
    negative.send(1)
    negative.send(completion: .finished)
    #expect(other.events == [.value([1]), .finished])
  }

  /// A misuse that traps.
  enum Misuse: String, CaseIterable, Codable, Sendable {

    case emptyRequestFirst, emptyRequestWhileConnected, emptyRequestAfterCompletion, requestTimesNegative

    func prepare() -> () -> Void {
      let upstream = TestUpstream(subscription: nil)
      upstream.collect(self == .requestTimesNegative ? -1 : 2).subscribe(RecordingSubscriber())
      let conduit = upstream.subscriber as! any Subscription
      if self == .emptyRequestFirst { return { conduit.request(.none) } }
      upstream.send(subscription: ManualSubscription())
      if self == .requestTimesNegative { return { conduit.request(.max(1)) } }
      if self == .emptyRequestAfterCompletion { upstream.send(completion: .finished) }
      return { conduit.request(.none) }
    }
  }

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: Misuse.allCases) func traps(on misuse: Misuse) async {
      _ = misuse.prepare()  // The preparation itself must not trap.
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [misuse] in
        misuse.prepare()()
      }.expectMisuse("CollectByCount", misuse == .requestTimesNegative ? .negativeCount : .zeroDemand)
    }
  #endif

  @Test func everyEndReleasesTheUpstreamAndTheElements() {
    final class Element {}
    for end in [Subscribers.Completion<TestError>?.some(.finished), .some(.failure("upstream")), nil] {
      var isReleased = false
      weak var element: Element?
      let upstream = ManualPublisher<Element, TestError>(subscription: nil)
      var subscription: (any Subscription)?
      let forgetful = AnySubscriber<[Element], TestError>(receiveSubscription: { subscription = $0 })
      upstream.collect(2).subscribe(forgetful)
      upstream.send(subscription: ManualSubscription(onDeinit: { isReleased = true }))
      do {
        let first = Element()
        element = first
        upstream.send(first)
      }
      #expect(element != nil)
      #expect(!isReleased)
      if let end { upstream.send(completion: end) } else { subscription?.cancel() }
      #expect(element == nil)
      #expect(isReleased)
      subscription = nil
    }
  }

  @Test func noEndReleasesADownstreamThatKeepsItsSubscription() {
    for end in [Subscribers.Completion<TestError>?.some(.finished), .some(.failure("upstream")), nil] {
      var isReleased = false
      weak var downstream: Recorder?
      let upstream = TestUpstream()
      do {
        let recorder = Recorder(onDeinit: { isReleased = true })
        downstream = recorder
        upstream.collect(2).subscribe(recorder)
        if let end { upstream.send(completion: end) } else { recorder.cancel() }
        upstream.dropSubscriber()
      }
      #expect(!isReleased)
      downstream?.dropSubscription()
      #expect(isReleased)
    }
  }

  @Test func reflectsItself() {
    let (upstream, recorder) = attach(4)
    let conduit = upstream.subscriber!
    expectReflection(
      of: conduit,
      description: "CollectByCount",
      children: ["downstream", "upstreamSubscription", "buffer", "count"]
    )
    let downstream = reflectedChild("downstream", of: conduit) as? Recorder
    let isSame = downstream.map(ObjectIdentifier.init) == ObjectIdentifier(recorder)
    #expect(isSame)
    let subscription = reflectedOptionalChild("upstreamSubscription", of: conduit) as? ManualSubscription
    #expect(subscription?.combineIdentifier == upstream.subscription!.combineIdentifier)
    #expect(reflectedChild("buffer", of: conduit) as? [Int] == [])
    #expect(reflectedChild("count", of: conduit) as? Int == 4)
    upstream.send(1)
    #expect(reflectedChild("buffer", of: conduit) as? [Int] == [1])
    recorder.cancel()
    #expect(reflectedChild("buffer", of: conduit) as? [Int] == [])
    #expect(reflectedOptionalChild("upstreamSubscription", of: conduit) == nil)
  }

  @Test func isEqualWithAnEqualUpstreamAndCount() {
    let publisher = equatableUpstream(1)
    #expect(publisher.collect(2) == publisher.collect(2))
    #expect(publisher.collect(2) != publisher.collect(3))
    #expect(publisher.collect(2) != equatableUpstream(2).collect(2))
    #expect(Publishers.CollectByCount(upstream: publisher, count: 2).upstream == publisher)
    #expect(publisher.collect(2).count == 2)
    #expect(!(TestUpstream().collect(2) is any Equatable))
    let sendable: any Sendable = Publishers.CollectByCount(upstream: Just(1), count: 2)
    withExtendedLifetime(sendable) {}
  }

  @Test func aCancelRacesWithValues() {
    for _ in 0..<500 {
      let upstream = SharedUpstream<Int>()
      let subscriber = CountingSubscriber<[Int], TestError>()
      upstream.collect(3).subscribe(subscriber)
      nonisolated(unsafe) let subscription = subscriber.subscription!
      onThreads(3) { index in
        if index == 0 {
          for value in 0..<10 { upstream.send(value) }
        } else {
          subscription.request(.max(1))
          subscription.cancel()
        }
      }
      #expect(upstream.cancelCount == 1)
      #expect(subscriber.values <= 3)
      #expect(reflectedChild("buffer", of: subscription) as? [Int] == [])
    }
  }
}
