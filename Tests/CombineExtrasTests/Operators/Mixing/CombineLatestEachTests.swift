import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct CombineLatestEachTests {

  typealias Upstream = ManualPublisher<Int, TestError>

  @Test func combinesTheLatestOfTwo() {
    marbles(outputs: ["p": ("b", 1), "q": ("b", 2), "r": ("c", 2)]) {
      "ab-----c--|"
      "----x-x--|"
      ExtraPublishers.CombineLatestEach($0[0], $0[1].scan(0) { count, _ in count + 1 })
      "----p-qr--|"
    }
  }

  @Test func combinesFiveOfDifferentTypes() {
    marbles(outputs: ["p": (1, "b", true, 4.0, ["e"]), "q": (1, "b", true, 4.0, ["f"])]) {
      "a----|"
      "-b---|"
      "--c--|"
      "---d-|"
      "----ef--|"
      ExtraPublishers.CombineLatestEach(
        $0[0].map { _ in 1 },
        $0[1],
        $0[2].map { _ in true },
        $0[3].map { _ in 4.0 },
        $0[4].map { [$0] }
      )
      "----pq--|"
    }
  }

  @Test func combinesSeven() {
    let last = PassthroughSubject<UInt8, Never>()
    var tuples: [(Int, String, Double, Int, String, Bool, UInt8)] = []
    let sink = ExtraPublishers.CombineLatestEach(Just(1), Just("a"), Just(1.5), Just(3), Just("c"), Just(true), last)
      .sink { tuples.append($0) }
    #expect(tuples.isEmpty)
    last.send(5)
    last.send(6)
    #expect(tuples.count == 2)
    #expect(tuples.first.map { "\($0)" } == "(1, \"a\", 1.5, 3, \"c\", true, 5)")
    #expect(tuples.last.map { "\($0)" } == "(1, \"a\", 1.5, 3, \"c\", true, 6)")
    sink.cancel()
  }

  @Test func withoutDemandTheLatestIsKept() {
    let upstreams = (Upstream(), ManualPublisher<String, TestError>(), Upstream())
    let downstream = RecordingSubscriber<(Int, String, Int), TestError>(requesting: .max(1))
    ExtraPublishers.CombineLatestEach(upstreams.0, upstreams.1, upstreams.2).subscribe(downstream)
    upstreams.0.send(1)
    upstreams.1.send("a")
    upstreams.2.send(3)
    upstreams.0.send(10)
    upstreams.2.send(30)
    #expect(downstream.values.map { "\($0)\($1)\($2)" } == ["1a3"])
    downstream.request(.max(1))
    #expect(downstream.values.count == 1)
    upstreams.1.send("b")
    upstreams.1.send("c")
    #expect(downstream.values.map { "\($0)\($1)\($2)" } == ["1a3", "10b30"])
    #expect(upstreams.0.history == [.requested(.max(1)), .requested(.max(1))])
  }

  @Test func finishesWhenAllHave() {
    marbles(outputs: ["p": ("a", "x", "1"), "q": ("a", "y", "1")]) {
      "a|"
      "--x---y-|"
      "---1|"
      ExtraPublishers.CombineLatestEach($0[0], $0[1], $0[2])
      "---p--q-|"
    }
  }

  @Test func aFailureCancelsTheOthers() {
    let upstreams = (Upstream(), Upstream(), Upstream())
    let downstream = RecordingSubscriber<(Int, Int, Int), TestError>(requesting: .max(2))
    ExtraPublishers.CombineLatestEach(upstreams.0, upstreams.1, upstreams.2).subscribe(downstream)
    upstreams.0.send(1)
    upstreams.1.send(completion: .failure("wrong"))
    upstreams.1.send(2)
    upstreams.2.send(3)
    #expect(downstream.events.count == 2)
    #expect(downstream.values.isEmpty)
    #expect(upstreams.0.history == [.requested(.max(2)), .cancelled])
    #expect(upstreams.1.history == [.requested(.max(2))])
    #expect(upstreams.2.history == [.requested(.max(2)), .cancelled])
  }

  @Test func cancelReachesEachUpstreamAndReleasesWhatIsKept() {
    var isReleased = false
    let upstreams = (ManualPublisher<CallsOnDeinit, TestError>(), Upstream())
    let downstream = RecordingSubscriber<(CallsOnDeinit, Int), TestError>(requesting: .unlimited)
    ExtraPublishers.CombineLatestEach(upstreams.0, upstreams.1).subscribe(downstream)
    upstreams.0.send(CallsOnDeinit { isReleased = true })
    #expect(!isReleased)
    downstream.cancel()
    downstream.cancel()
    #expect(isReleased)
    #expect(upstreams.0.history == [.requested(.unlimited), .cancelled])
    #expect(upstreams.1.history == [.requested(.unlimited), .cancelled])
    upstreams.1.send(1)
    upstreams.1.send(completion: .finished)
    #expect(downstream.events.count == 1)
  }

  @Test func withoutUpstreamsItFinishesAtOnce() {
    let downstream = RecordingSubscriber<(), TestError>()
    ExtraPublishers.CombineLatestEach<(), TestError>().subscribe(downstream)
    #expect(downstream.events.count == 2)
    #expect(downstream.values.isEmpty)
  }

  @Test func aSubscriptionKnowsNothingOfAnother() {
    let subjects = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let combined = ExtraPublishers.CombineLatestEach(subjects.0, subjects.1)
    var (first, second): ([String], [String]) = ([], [])
    let sink = combined.sink { first.append("\($0)\($1)") }
    subjects.0.send(1)
    let other = combined.sink { second.append("\($0)\($1)") }
    subjects.1.send("a")
    sink.cancel()
    subjects.0.send(2)
    #expect(first == ["1a"])
    #expect(second == ["2a"])
    other.cancel()
  }

  @Test func mirrorsTheLatestOfEach() {
    let upstreams = (Upstream(), ManualPublisher<String, TestError>())
    let downstream = RecordingSubscriber<(Int, String), TestError>(requesting: .unlimited)
    ExtraPublishers.CombineLatestEach(upstreams.0, upstreams.1).subscribe(downstream)
    upstreams.1.send("a")
    #expect(downstream.subscription.map { "\($0)" } == "CombineLatest")
    let children = Mirror(reflecting: downstream.subscription!).children
    #expect(children.first { $0.label == "buffers" }.map { "\($0.value)" } == #"[nil, Optional("a")]"#)
  }
}
