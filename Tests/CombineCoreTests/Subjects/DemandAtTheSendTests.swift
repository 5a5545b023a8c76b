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
    let table: SubjectTable

    var waitingCount: Int { table.lock.withLock { table.turn.waitingCount } }
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
      sender = Sender(send: { subject.send($0) }, table: subject.core)
    case .published:
      model.$value.subscribe(downstream)
      sender = Sender(send: { model.value = $0 }, table: model.$value.subject.core)
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

  // MARK: A subscriber that comes while a sender waits

  /// Sends 1, and during its delivery 2 on another thread. Then somebody subscribes, before the turn of 2.
  ///
  /// - Returns: The values that the newcomer receives.
  private func valuesOfANewcomer(
    to publisher: some Publisher<Int, Never>,
    requesting demand: Subscribers.Demand,
    _ sender: Sender
  ) -> [Int] {
    let (inside, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let early = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    early.onValue = { value in
      guard value == 1 else { return .none }
      inside.signal()
      go.wait()
      return .none
    }
    publisher.subscribe(early)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { sender.send(1) }
    inside.wait()
    DispatchQueue(label: "2").async(group: group) { sender.send(2) }
    #expect(holdsEventually { sender.waitingCount == 1 })
    let newcomer = RecordingSubscriber<Int, Never>(requesting: demand)
    publisher.subscribe(newcomer)
    go.signal()
    group.wait()
    #expect(early.values.suffix(2) == [1, 2])
    return newcomer.values
  }

  /// A subject has stored 1 when the newcomer requests its current value. A property stores 1 after the delivery, and then
  /// the newcomer receives that too.
  @Test(
    arguments: [
      (.unlimited, [[2], [1, 2], [0, 1, 2]]), (.max(3), [[2], [1, 2], [0, 1, 2]]), (.max(1), [[2], [1], [0]]),
    ] as [(Subscribers.Demand, [[Int]])]
  )
  func whoSubscribesBeforeTheTurnReceivesTheValueIfThereIsDemand(demand: Subscribers.Demand, expected: [[Int]]) {
    let (subject, current, model) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(0), Model())
    let property = model.$value
    let values = [
      valuesOfANewcomer(to: subject, requesting: demand, Sender(send: { subject.send($0) }, table: subject.core)),
      valuesOfANewcomer(to: current, requesting: demand, Sender(send: { current.send($0) }, table: current.core)),
      valuesOfANewcomer(
        to: property,
        requesting: demand,
        Sender(send: { model.value = $0 }, table: property.subject.core)
      ),
    ]
    #expect(values == expected)
  }
}
