import CombineCore
import CombineExtras
import TestSupport
import Testing

/// An operator with one upstream, for the rules that hold for every operator.
struct ContractedOperator: CustomTestStringConvertible, Sendable {

  let testDescription: String

  /// The values that the upstream must send before the operator publishes one.
  let valuesBeforeFirst: Int

  let apply: @Sendable (ManualPublisher<Int, TestError>) -> AnyPublisher<Int, TestError>

  init<P: Publisher<Int, TestError> & SendableMetatype>(
    _ name: String,
    valuesBeforeFirst: Int = 0,
    _ apply: @escaping @Sendable (ManualPublisher<Int, TestError>) -> P
  ) {
    testDescription = name
    self.valuesBeforeFirst = valuesBeforeFirst
    self.apply = { apply($0).eraseToAnyPublisher() }
  }

  /// The operators with a conduit of their own, which answer for the order of events.
  static let stateful: [ContractedOperator] = [
    ContractedOperator("prefix(while:behavior:)") { $0.prefix(while: { $0 < 1000 }, behavior: .inclusive) },
    ContractedOperator("amb") { $0.amb(Empty(completeImmediately: false)) },
    ContractedOperator("amb, second") { Empty(completeImmediately: false).amb($0) },
    ContractedOperator("withLatest") { $0.withLatest(of: Just(0).setFailureType(to: TestError.self)) { value, _ in value } },
    ContractedOperator("withLatest, upstream first") {
      Publishers.WithLatest(
        upstream: $0,
        other: Just(0).setFailureType(to: TestError.self),
        subscribesUpstreamFirst: true
      ) { value, _ in value }
    },
    ContractedOperator("retryWhen") { $0.retryWhen { $0.tryMap { throw $0 } as Publishers.TryMap<AnyPublisher<TestError, Never>, Int> } },
    ContractedOperator("materialize") {
      $0.materialize().compactMap(\.value).setFailureType(to: TestError.self)
    },
    ContractedOperator("dematerialize") { $0.map { Signal<Int, TestError>.input($0) }.assertNoFailure().dematerialize() },
    ContractedOperator("share(replay:)") { $0.share(replay: 1, scope: .whileSubscribed) },
  ]

  /// The operators that are made of others, or that pass the upstream's own subscription on.
  static let composed: [ContractedOperator] = [
    ContractedOperator("enumerated") { $0.enumerated().map(\.element) },
    ContractedOperator("mapToValue") { $0.mapToValue(1) },
    ContractedOperator("mapMany") { $0.map { [$0] }.mapMany { $0 }.map { $0[0] } },
    ContractedOperator("filterMany") { $0.map { [$0] }.filterMany { _ in true }.map { $0[0] } },
    ContractedOperator("mapToResult") {
      $0.mapToResult().map { (try? $0.get()) ?? -1 }.setFailureType(to: TestError.self)
    },
    ContractedOperator("nwise", valuesBeforeFirst: 2) { $0.nwise(3).map { $0[2] } },
    ContractedOperator("pairwise", valuesBeforeFirst: 1) { $0.pairwise().map(\.1) },
    ContractedOperator("exhaustMap") { $0.exhaustMap { Just($0).setFailureType(to: TestError.self) } },
    ContractedOperator("distinct") { $0.distinct() },
    ContractedOperator("distinct(by:)") { $0.distinct { $0 == $1 } },
    ContractedOperator("ignoreFailure") { $0.ignoreFailure(setFailureType: TestError.self) },
    ContractedOperator("partition") { $0.partition { _ in true }.matches },
    ContractedOperator("combineLatest of a collection") { [$0].combineLatest().map { $0[0] } },
    ContractedOperator("zip of a collection") { [$0].zip().map { $0[0] } },
    ContractedOperator("merge of a collection") { [$0].merge() },
  ]

  static let all = stateful + composed
}

/// The rules of `../shared/spec/companions.md`, part 0, for every operator.
struct OperatorContractTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  /// An upstream that sends as many values as were requested, and no more.
  private func counted(_ upstream: Upstream) -> Int {
    upstream.history.reduce(0) { count, call in
      if case .requested(let demand) = call { count + (demand.max ?? 1_000_000) } else { count }
    }
  }

  /// Sends values while the upstream has demand.
  private func serve(_ upstream: Upstream, from first: Int = 1, upTo last: Int = 20) {
    var served = first - 1
    var returned = 0
    while served < last, served < counted(upstream) + returned {
      served += 1
      returned += upstream.send(served).max ?? 1_000_000
    }
  }

  @Test(arguments: ContractedOperator.all)
  func publishesNoMoreThanTheDownstreamRequests(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(2), returning: [.max(1), .none, .none])
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream)
    #expect(downstream.values.count == 3)
    downstream.request(.max(1))
    serve(upstream, from: 100, upTo: 104)
    #expect(downstream.values.count >= 3)
    #expect(downstream.values.count <= 4)
  }

  @Test(arguments: ContractedOperator.all)
  func publishesNothingWithoutDemand(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream()
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream)
    #expect(downstream.values == [])
  }

  @Test(arguments: ContractedOperator.all)
  func givesTheSubscriptionFirst(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream)
    guard case .subscription = downstream.events.first else {
      Issue.record("the first event is \(String(describing: downstream.events.first))")
      return
    }
    #expect(downstream.events.count { if case .subscription = $0 { true } else { false } } == 1)
    #expect(downstream.values.count == 20 - contracted.valuesBeforeFirst || contracted.testDescription == "mapToValue")
  }

  @Test(arguments: ContractedOperator.all)
  func aCancelReachesTheUpstreamOnce(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream, upTo: 3)
    downstream.cancel()
    downstream.cancel()
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
  }

  @Test(arguments: ContractedOperator.stateful)
  func nothingArrivesAfterACancel(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream, upTo: 2)
    let events = downstream.events
    downstream.cancel()
    upstream.send(3)
    upstream.send(completion: .finished)
    #expect(downstream.events == events)
  }

  @Test(arguments: ContractedOperator.stateful)
  func aCancelFromInsideADeliveryIsTheLastEvent(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    downstream.onValue = { _ in
      downstream.cancel()
      return .max(1)
    }
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream, upTo: 3)
    upstream.send(completion: .failure(TestError()))
    #expect(downstream.values.count == 1)
    #expect(downstream.events.count == 2)
    #expect(upstream.history.filter { $0 == .cancelled }.count == 1)
  }

  @Test(arguments: ContractedOperator.stateful)
  func anUpstreamThatHasFinishedIsNotCancelled(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream, upTo: 2)
    upstream.send(completion: .finished)
    downstream.cancel()
    #expect(downstream.events.last == .finished)
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test(arguments: ContractedOperator.stateful)
  func eventsAfterTheCompletionHaveNoEffect(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    contracted.apply(upstream).subscribe(downstream)
    serve(upstream, upTo: 2)
    upstream.send(completion: .finished)
    let events = downstream.events
    upstream.send(3)
    upstream.send(completion: .failure(TestError()))
    downstream.request(.max(1))
    #expect(downstream.events == events)
  }

  @Test(arguments: ContractedOperator.stateful)
  func aSecondSubscriptionIsCancelled(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .unlimited)
    contracted.apply(upstream).subscribe(downstream)
    let second = ManualSubscription()
    upstream.send(subscription: second)
    #expect(second.history == [.cancelled])
    serve(upstream, upTo: 2)
    #expect(downstream.values.count == 2)
    #expect(!upstream.history.contains(.cancelled))
  }

  @Test(arguments: ContractedOperator.stateful)
  func aSubscriptionThatArrivesAfterACancelIsCancelled(_ contracted: ContractedOperator) {
    let upstream = Upstream(subscription: nil)
    let downstream = Downstream(requesting: .max(3))
    contracted.apply(upstream).subscribe(downstream)
    guard downstream.subscription != nil else { return }  // It waits for the upstream's.
    downstream.cancel()
    let late = ManualSubscription()
    upstream.send(subscription: late)
    #expect(late.history == [.cancelled])
  }

  @Test(arguments: ContractedOperator.all)
  func aRequestOfNoneIsTolerated(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(1))
    contracted.apply(upstream).subscribe(downstream)
    guard ContractedOperator.stateful.contains(where: { $0.testDescription == contracted.testDescription }) else { return }
    downstream.request(.none)
    serve(upstream)
    #expect(downstream.values.count == 1)
  }

  @Test(arguments: ContractedOperator.stateful)
  func aRequestFromInsideADeliveryIsServedInOrder(_ contracted: ContractedOperator) {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(1))
    var next = 1
    upstream.subscription?.onRequest = { _ in
      guard next < 10 else { return }
      let value = next
      next += 1
      upstream.send(value)
    }
    downstream.onValue = { value in
      if value < 5 { downstream.request(.max(1)) }
      return .none
    }
    contracted.apply(upstream).subscribe(downstream)
    #expect(downstream.values == downstream.values.sorted())
    #expect(downstream.values.count == 5 || contracted.testDescription.hasPrefix("share"), "\(downstream.values)")
  }

  @Test(arguments: ContractedOperator.all)
  func twoSubscriptionsAreIndependent(_ contracted: ContractedOperator) {
    guard !contracted.testDescription.hasPrefix("share"), contracted.testDescription != "partition" else { return }
    let upstream = Upstream()
    let publisher = contracted.apply(upstream)
    for _ in 1...2 {
      let downstream = Downstream(requesting: .unlimited)
      publisher.subscribe(downstream)
      serve(upstream, upTo: 5)
      #expect(downstream.values.count == 5 - contracted.valuesBeforeFirst)
    }
  }

  @Test(arguments: ContractedOperator.stateful, [true, false])
  func everythingIsReleasedAtTheEnd(_ contracted: ContractedOperator, cancels: Bool) {
    final class Resource {}
    weak var resource: Resource?
    weak var released: Downstream?
    do {
      let upstream = Upstream()
      let downstream = Downstream(requesting: .unlimited)
      do {
        let kept = Resource()
        resource = kept
        let publisher = contracted.apply(upstream).map { value in
          withExtendedLifetime(kept) { value }
        }
        publisher.subscribe(downstream)
      }
      serve(upstream, upTo: 2)
      // The downstream keeps its subscription, so that only the operator can break the cycle.
      if cancels { downstream.cancel() } else { upstream.send(completion: .finished) }
      upstream.dropSubscriber()
      released = downstream
    }
    #expect(released == nil, "the operator keeps its downstream")
    #expect(resource == nil, "the operator keeps a closure")
  }
}
