import CombineExtras
import TestSupport
import Testing

@Suite struct PrefixThroughTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func finishesAndCancelsWithTheLastUnitOfDemand() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(2))
    upstream.prefix(while: { $0 < 2 }, behavior: .inclusive).subscribe(downstream)
    #expect(upstream.send(1) == .none)
    upstream.send(2)
    #expect(downstream.events.dropFirst() == [.value(1), .value(2), .finished])
    #expect(upstream.history == [.requested(.max(2)), .cancelled])
    upstream.send(3)
    upstream.send(completion: .failure("late"))
    #expect(downstream.events.count == 4)
  }

  @Test func whatTheUpstreamSendsInsideTheLastDeliveryIsDropped() {
    for completes in [true, false] {
      let upstream = Upstream()
      let downstream = Downstream(requesting: .unlimited)
      downstream.onValue = { value in
        if value == 2 { upstream.send(1) }
        if completes { upstream.send(completion: .failure("late")) }
        return .none
      }
      upstream.prefix(while: { $0 < 2 }, behavior: .inclusive).subscribe(downstream)
      upstream.send(2)
      #expect(downstream.events.dropFirst() == [.value(2), .finished])
      #expect(upstream.history.contains(.cancelled) == !completes)
    }
  }
}
