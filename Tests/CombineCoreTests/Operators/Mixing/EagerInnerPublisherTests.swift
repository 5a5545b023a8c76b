import CombineCore
import TestSupport
import Testing

/// Inner publishers of `flatMap` and `switchToLatest` that have all their values already.
///
/// With unlimited demand they send them at once, inside the call that subscribes to them. The downstream must not see a
/// difference.
@Suite struct EagerInnerPublisherTests {

  enum Operator: CaseIterable {
    case flatMap, flatMapOne, switchToLatest
  }

  enum Inner: CaseIterable {
    case just, sequence, failingRecord
  }

  /// The call that a closure of the inner publisher or of the downstream makes, once.
  enum Deed: CaseIterable {
    case nothing, cancel, finishUpstream, failUpstream, sendNext, requestOne
  }

  enum Place: CaseIterable {
    case inInner, inDownstream
  }

  /// One upstream of numbers, an inner publisher for each, and a subscriber.
  private final class Fixture {

    let upstream = PassthroughSubject<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    var log: [String] = []
    var deed: (() -> Void)?

    /// - Parameter isHidden: Whether the inner publishers are behind an operator that needs a subscription.
    init(_ mixer: Operator, _ child: Inner, _ demand: Subscribers.Demand, isHidden: Bool) {
      subscriber.onSubscription = { $0.request(demand) }
      subscriber.onValue = { [unowned self] in
        log.append("value \($0)")
        act(in: .inDownstream)
        return .none
      }
      subscriber.onCompletion = { [unowned self] in log.append($0 == .finished ? "finished" : "failed") }
      let look = { [unowned self] (value: Int) -> Int in
        log.append("child \(value)")
        act(in: .inInner)
        return value
      }
      switch child {
      case .just:
        mix(mixer, isHidden) { Publishers.Map(upstream: Just($0).setFailureType(to: TestError.self), transform: look) }
      case .sequence:
        mix(mixer, isHidden) {
          Publishers.Map(
            upstream: Publishers.Sequence<[Int], TestError>(sequence: [$0, $0 + 1, $0 + 2]),
            transform: look
          )
        }
      case .failingRecord:
        mix(mixer, isHidden) {
          Publishers.Map(upstream: Record(output: [$0, $0 + 1], completion: .failure("x")), transform: look)
        }
      }
    }

    private func mix<P: Publisher<Int, TestError>>(_ mixer: Operator, _ isHidden: Bool, _ child: @escaping (Int) -> P) {
      if isHidden {
        mix(mixer) { child($0).handleEvents() }
      } else {
        mix(mixer, child)
      }
    }

    private func mix<P: Publisher<Int, TestError>>(_ mixer: Operator, _ child: @escaping (Int) -> P) {
      switch mixer {
      case .flatMap: upstream.flatMap(child).subscribe(subscriber)
      case .flatMapOne: upstream.flatMap(maxPublishers: .max(1), child).subscribe(subscriber)
      case .switchToLatest: Publishers.Map(upstream: upstream, transform: child).switchToLatest().subscribe(subscriber)
      }
    }

    private var place = Place.inInner

    private func act(in place: Place) {
      if place == self.place, let deed = deed.take() { deed() }
    }

    /// Sends two numbers and a completion. The deed happens at the first opportunity.
    func run(_ deed: Deed, _ place: Place) -> [String] {
      self.place = place
      self.deed = { [unowned self] in
        switch deed {
        case .nothing: break
        case .cancel: subscriber.cancel()
        case .finishUpstream: upstream.send(completion: .finished)
        case .failUpstream: upstream.send(completion: .failure("x"))
        case .sendNext: upstream.send(100)
        case .requestOne: subscriber.request(.max(1))
        }
      }
      upstream.send(10)
      upstream.send(20)
      upstream.send(completion: .finished)
      return log
    }
  }

  @Test(arguments: Operator.allCases, Inner.allCases)
  func behaveAsInnerPublishersWithASubscription(mixer: Operator, child: Inner) {
    for demand in [Subscribers.Demand.unlimited, .max(100), .max(2)] {
      // `switchToLatest` traps when an inner publisher exceeds its demand.
      for deed in Deed.allCases {
        for place in Place.allCases {
          let eager = Fixture(mixer, child, demand, isHidden: false).run(deed, place)
          let subscribed = Fixture(mixer, child, demand, isHidden: true).run(deed, place)
          #expect(eager == subscribed, "\(demand), \(deed), \(place)")
        }
      }
    }
  }

  @Test func aJustCountsAsUnfinishedUntilItHasFinished() {
    for mixer in [Operator.flatMap, .switchToLatest] {
      let fixture = Fixture(mixer, .just, .unlimited, isHidden: false)
      #expect(fixture.run(.finishUpstream, .inInner) == ["child 10", "value 10", "finished"])
    }
  }

  @Test func cancelDuringAValueStopsASequence() {
    for mixer in Operator.allCases {
      let fixture = Fixture(mixer, .sequence, .unlimited, isHidden: false)
      #expect(fixture.run(.cancel, .inDownstream) == ["child 10", "value 10"])
    }
  }

  @Test func theNextInnerPublisherStopsASendingSequenceInSwitchToLatestOnly() {
    let flatMap = Fixture(.flatMap, .sequence, .unlimited, isHidden: false).run(.sendNext, .inDownstream)
    #expect(flatMap.filter { $0.hasPrefix("value") } == [10, 100, 101, 102, 11, 12, 20, 21, 22].map { "value \($0)" })
    let latest = Fixture(.switchToLatest, .sequence, .unlimited, isHidden: false).run(.sendNext, .inDownstream)
    #expect(latest.filter { $0.hasPrefix("value") } == [10, 100, 101, 102, 20, 21, 22].map { "value \($0)" })
  }
}
