import Dispatch
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

/// A subscriber is inside its first value. Other threads send meanwhile.
@Suite struct DemandAtTheSendTests {

  enum Source: CaseIterable {
    case currentValueSubject, published
  }

  private final class Model {
    @Published var value = 0
  }

  private struct Sender: @unchecked Sendable {
    let send: (Int) -> Void
    let core: CurrentValueCore<Int, Never>

    var waitingCount: Int { core.lock.withLock { core.turn.waitingCount } }
  }

  /// Sends 1, and during its delivery 2, 3, … on a thread each.
  ///
  /// - Returns: The values that the subscriber has received then, and after one more request.
  private func values(of source: Source, demand: Int, returning returned: Subscribers.Demand, count: Int) -> [[Int]] {
    let (inside, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(demand))
    downstream.onValue = { value in
      guard value == 1 else { return .none }
      inside.signal()
      go.wait()
      return returned
    }
    let (subject, model) = (CurrentValueSubject<Int, Never>(0), Model())
    let sender: Sender
    switch source {
    case .currentValueSubject:
      subject.subscribe(downstream)
      sender = Sender(send: { subject.send($0) }, core: subject.core)
    case .published:
      model.$value.subscribe(downstream)
      sender = Sender(send: { model.value = $0 }, core: model.$value.subject.core)
    }
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { sender.send(1) }
    inside.wait()
    for value in 2...count {
      DispatchQueue(label: "\(value)").async(group: group) {
        sender.send(value)
      }
    }
    #expect(holdsEventually { sender.waitingCount == count - 1 })
    go.signal()
    group.wait()
    let atFirst = downstream.values
    downstream.request(.max(1))
    return [atFirst, downstream.values]
  }

  @Test(arguments: Source.allCases)
  func aValueThatFindsNoDemandDoesNotWaitForMore(source: Source) {
    let values = values(of: source, demand: 2, returning: .max(5), count: 10)
    #expect(values[0] == [0, 1])
    #expect(values[1].count == 3, "the current value, once")
  }

  @Test(arguments: Source.allCases)
  func valuesThatFindDemandAreDelivered(source: Source) {
    for _ in 0..<20 {
      let values = values(of: source, demand: 5, returning: .max(5), count: 12)
      #expect(values[0].count == 5)
      #expect(Set(values[1]).count == values[1].count, "none twice")
      #expect(values[1].count <= 6)
    }
  }
}
