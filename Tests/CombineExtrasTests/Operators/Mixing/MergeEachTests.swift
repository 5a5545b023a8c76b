import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct MergeEachTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<Int, TestError>

  @Test func mergesFiveOfDifferentTypes() {
    marbles {
      "a-----f|"
      "-b-----g|"
      "--c-|"
      "---d-|"
      "----e---|"
      ExtraPublishers.MergeEach(
        $0[0],
        $0[1].map { $0 },
        $0[2].filter { _ in true },
        $0[3].eraseToAnyPublisher(),
        $0[4].share()
      )
      "abcde-fg|"
    }
  }

  @Test func mergesSeven() {
    var values: [Int] = []
    var completion: Subscribers.Completion<Never>?
    let sink = ExtraPublishers.MergeEach(
      Just(1),
      [2, 3].publisher,
      Just(4).map { $0 * 10 },
      Empty(),
      Just(5).append(6),
      Result.Publisher(7),
      CurrentValueSubject<Int, Never>(8).prefix(1)
    )
    .sink(receiveCompletion: { completion = $0 }, receiveValue: { values.append($0) })
    #expect(values == [1, 2, 3, 40, 5, 6, 7, 8])
    #expect(completion == .finished)
    sink.cancel()
  }

  @Test func keepsTheLatestOfEachWithoutDemandAndServesThemInTurn() {
    let upstreams = (Upstream(), Upstream())
    let downstream = Downstream()
    ExtraPublishers.MergeEach(upstreams.0, upstreams.1.map { $0 }).subscribe(downstream)
    #expect(upstreams.0.history == [.requested(.max(1))])
    upstreams.0.send(1)
    upstreams.1.send(10)
    upstreams.1.send(11)
    #expect(downstream.values.isEmpty)
    downstream.request(.max(1))
    upstreams.0.send(2)
    downstream.request(.max(1))
    #expect(downstream.values == [1, 11])
    downstream.request(.max(1))
    #expect(downstream.values == [1, 11, 2])
  }

  @Test func finishesAfterWhatWaits() {
    let upstreams = (Upstream(), Upstream())
    let downstream = Downstream()
    ExtraPublishers.MergeEach(upstreams.0, upstreams.1).subscribe(downstream)
    upstreams.0.send(1)
    upstreams.0.send(completion: .finished)
    upstreams.1.send(completion: .finished)
    #expect(downstream.events.count == 1)
    downstream.request(.max(1))
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
  }

  @Test func aFailureCancelsAll() {
    let upstreams = (Upstream(), Upstream())
    let downstream = Downstream(requesting: .max(2))
    ExtraPublishers.MergeEach(upstreams.0, upstreams.1.map { $0 }).subscribe(downstream)
    upstreams.0.send(completion: .failure("wrong"))
    #expect(downstream.events.dropFirst() == [.failure("wrong")])
    #expect(upstreams.1.history == [.requested(.max(1)), .cancelled])
  }

  @Test func cancelReachesEachUpstream() {
    let upstreams = (Upstream(), Upstream())
    let downstream = Downstream(requesting: .unlimited)
    ExtraPublishers.MergeEach(upstreams.0, upstreams.1.map { $0 }).subscribe(downstream)
    downstream.cancel()
    downstream.cancel()
    #expect(upstreams.0.history == [.requested(.unlimited), .cancelled])
    #expect(upstreams.1.history == [.requested(.unlimited), .cancelled])
    upstreams.1.send(1)
    #expect(downstream.values.isEmpty)
  }

  @Test func withoutUpstreamsItFinishesAtOnce() {
    let downstream = Downstream()
    ExtraPublishers.MergeEach<Int, TestError>().subscribe(downstream)
    #expect(downstream.events.dropFirst() == [.finished])
  }

  @Test func aSubscriptionKnowsNothingOfAnother() {
    let subject = PassthroughSubject<Int, TestError>()
    let merged = ExtraPublishers.MergeEach(subject, subject.map { $0 * 10 })
    let (first, second) = (Downstream(requesting: .unlimited), Downstream(requesting: .max(1)))
    merged.subscribe(first)
    merged.subscribe(second)
    subject.send(1)
    second.cancel()
    subject.send(2)
    #expect(first.values == [1, 10, 2, 20])
    #expect(second.values == [1])
  }
}
