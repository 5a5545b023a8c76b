import CombineCore
import TestSupport
import Testing

/// An operator on two manual upstreams `a` and `b`. Two of the operators have an outer upstream that sends these.
private final class MixingRig<Value> {

  typealias Upstream = ManualPublisher<Value, TestError>

  let a = Upstream(subscription: nil)
  let b = Upstream(subscription: nil)

  /// The publisher that sends `a` and `b` if the operator takes publishers.
  let outer = ManualPublisher<Upstream, TestError>(subscription: nil)
  let downstream = RecordingSubscriber<Value, TestError>()

  private(set) var released: Set<String> = []

  init(_ mixingOperator: MixingOperator) {
    func subscription(_ name: String) -> ManualSubscription {
      ManualSubscription(onDeinit: { [weak self] in self?.released.insert(name) })
    }
    switch mixingOperator {
    case .merge: Publishers.Merge(a, b).subscribe(downstream)
    case .combineLatest: a.combineLatest(b) { first, _ in first }.subscribe(downstream)
    case .zip: a.zip(b) { first, _ in first }.subscribe(downstream)
    case .flatMap: outer.flatMap { $0 }.subscribe(downstream)
    case .switchToLatest: outer.switchToLatest().subscribe(downstream)
    }
    if outer.subscriber != nil {
      outer.send(subscription: subscription("outer"))
      if mixingOperator == .flatMap { outer.send(b) }
      outer.send(a)
    }
    a.send(subscription: subscription("a"))
    if b.subscriber != nil { b.send(subscription: subscription("b")) }
  }

  deinit {
    downstream.dropSubscription()
  }

  /// The names of the upstreams that have a subscriber.
  var attached: Set<String> {
    Set(
      [("a", a.subscriber != nil), ("b", b.subscriber != nil), ("outer", outer.subscriber != nil)].lazy
        .filter(\.1).map(\.0)
    )
  }
}

@Suite struct MixingLifetimeTests {

  enum End: CaseIterable, Sendable {
    case finish, failure, cancel
  }

  @Test(arguments: MixingOperator.allCases, End.allCases)
  func releasesTheSubscriptionsOfItsUpstreams(_ mixingOperator: MixingOperator, _ end: End) {
    let rig = MixingRig<Int>(mixingOperator)
    rig.downstream.request(.unlimited)
    #expect(rig.released == [])
    switch end {
    case .finish:
      if rig.outer.subscriber != nil {
        rig.outer.send(completion: .finished)
        #expect(rig.released == ["outer"], "at once, while inner publishers continue")
      }
      rig.a.send(completion: .finished)
      if mixingOperator != .zip { #expect(rig.released.contains("a"), "at once, while another continues") }
      if rig.b.subscriber != nil { rig.b.send(completion: .finished) }
      #expect(rig.downstream.events.last == .finished)
    case .failure:
      if rig.outer.subscriber != nil {
        rig.outer.send(completion: .failure("x"))
      } else {
        rig.a.send(completion: .failure("x"))
      }
      #expect(rig.downstream.events.last == .failure("x"))
    case .cancel:
      rig.downstream.cancel()
    }
    #expect(rig.released == rig.attached)
  }

  @Test func releasesTheSubscriptionOfAReplacedInnerPublisher() {
    let rig = MixingRig<Int>(.switchToLatest)
    rig.outer.send(rig.b)
    #expect(rig.released == ["a"])
  }

  @Test func releasesTheSubscriptionOfAFailedInnerPublisher() {
    let flatMap = MixingRig<Int>(.flatMap)
    flatMap.a.send(completion: .failure("x"))
    #expect(flatMap.released == ["a", "b", "outer"], "the upstream too, which is not cancelled")

    let switchToLatest = MixingRig<Int>(.switchToLatest)
    switchToLatest.a.send(completion: .failure("x"))
    #expect(switchToLatest.released == ["a", "outer"])
  }

  /// A value whose deinitializer calls back into the operator. That call would trap if a lock were held.
  private final class Value {

    private let onDeinit: () -> Void

    init(onDeinit: @escaping () -> Void) {
      self.onDeinit = onDeinit
    }

    deinit {
      onDeinit()
    }
  }

  @Test(arguments: [MixingOperator.merge, .combineLatest, .zip, .flatMap], [End.failure, .cancel])
  func releasesBufferedValuesWithoutHoldingTheLock(_ mixingOperator: MixingOperator, _ end: End) {
    let rig = MixingRig<Value>(mixingOperator)
    var releaseCount = 0
    rig.a.send(
      Value(onDeinit: { [unowned rig] in
        releaseCount += 1
        rig.downstream.request(.max(1))
        rig.downstream.cancel()
      })
    )
    #expect(releaseCount == 0)
    switch end {
    case .cancel: rig.downstream.cancel()
    case _ where mixingOperator == .flatMap: rig.outer.send(completion: .failure("x"))
    default: rig.b.send(completion: .failure("x"))
    }
    #expect(releaseCount == 1)
  }

  @Test(arguments: [MixingOperator.combineLatest, .zip])
  func dropsUnusedValuesWhenItFinishes(_ mixingOperator: MixingOperator) {
    let rig = MixingRig<Value>(mixingOperator)
    var releaseCount = 0
    rig.a.send(Value(onDeinit: { releaseCount += 1 }))
    if mixingOperator == .combineLatest { rig.a.send(completion: .finished) }
    #expect(releaseCount == 0)
    rig.b.send(completion: .finished)
    #expect(releaseCount == 1)
  }
}
