import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct ZipEachTests {

  typealias Upstream = ManualPublisher<Int, TestError>

  @Test func joinsFirstWithFirst() {
    marbles(outputs: ["p": ("a", 1), "q": ("b", 2)]) {
      "ab------|"
      "----x-x--|"
      ExtraPublishers.ZipEach($0[0], $0[1].scan(0) { count, _ in count + 1 })
      "----p-q-|"
      "^"
      "^-------!"
    }
  }

  @Test func joinsFiveOfDifferentTypes() {
    marbles(outputs: ["p": (1, "b", true, 4.0, ["e"])]) {
      "a----|"
      "-b---|"
      "--c--|"
      "---d-|"
      "----e|"
      ExtraPublishers.ZipEach(
        $0[0].map { _ in 1 },
        $0[1],
        $0[2].map { _ in true },
        $0[3].map { _ in 4.0 },
        $0[4].map { [$0] }
      )
      "----p|"
    }
  }

  @Test func joinsSeven() {
    var tuples: [(Int, String, Double, Int, String, Bool, UInt8)] = []
    var completion: Subscribers.Completion<Never>?
    let sink = ExtraPublishers.ZipEach(
      [1, 2].publisher,
      ["a", "b"].publisher,
      [1.5, 2.5].publisher,
      [3, 4].publisher,
      ["c", "d"].publisher,
      [true, false].publisher,
      [UInt8(5), 6].publisher
    )
    .sink(receiveCompletion: { completion = $0 }, receiveValue: { tuples.append($0) })
    #expect(tuples.count == 2)
    #expect(tuples.first.map { "\($0)" } == "(1, \"a\", 1.5, 3, \"c\", true, 5)")
    #expect(tuples.last.map { "\($0)" } == "(2, \"b\", 2.5, 4, \"d\", false, 6)")
    #expect(completion == .finished)
    sink.cancel()
  }

  @Test func joinsMoreThan64() {
    let subject = PassthroughSubject<Int, Never>()
    let j = Just(1)
    let zip = ExtraPublishers.ZipEach(
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      j,
      subject,
      [1, 2].publisher
    )
    var count = 0
    var isFinished = false
    let sink = zip.sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { _ in count += 1 })
    #expect(count == 0 && !isFinished)
    subject.send(1)
    #expect(count == 1 && isFinished)
    sink.cancel()
  }

  @Test func elementsOfAFinishedUpstreamStillWait() {
    marbles(outputs: ["p": ("a", "x", "1"), "q": ("b", "y", "2")]) {
      "ab|"
      "---x--y----|"
      "----12|"
      ExtraPublishers.ZipEach($0[0], $0[1], $0[2])
      "----p-(q|)"
      "^"
      "^-----!"
    }
  }

  @Test func aFinishWithoutElementsEndsIt() {
    marbles(outputs: ["p": ("a", "x", "1")]) {
      "a----b--|"
      "-x--|"
      "--1------|"
      ExtraPublishers.ZipEach($0[0], $0[1], $0[2])
      "--p-|"
      "^---!"
      "^"
      "^---!"
    }
  }

  @Test func aFailureCancelsAll() {
    let upstreams = (Upstream(), Upstream(), Upstream())
    let downstream = RecordingSubscriber<(Int, Int, Int), TestError>(requesting: .max(2))
    ExtraPublishers.ZipEach(upstreams.0, upstreams.1, upstreams.2).subscribe(downstream)
    upstreams.0.send(1)
    upstreams.1.send(completion: .failure("wrong"))
    upstreams.2.send(3)
    #expect(downstream.events.count == 2)
    #expect(downstream.values.isEmpty)
    for upstream in [upstreams.0, upstreams.1, upstreams.2] {
      #expect(upstream.history == [.requested(.max(2)), .cancelled])
    }
  }

  @Test func demandPassesToEachUpstream() {
    let upstreams = (Upstream(), ManualPublisher<String, TestError>(), Upstream())
    let downstream = RecordingSubscriber<(Int, String, Int), TestError>()
    downstream.onValue = { _ in .max(3) }
    ExtraPublishers.ZipEach(upstreams.0, upstreams.1, upstreams.2).subscribe(downstream)
    downstream.request(.max(2))
    #expect(upstreams.0.send(1) == .none)
    #expect(upstreams.1.send("a") == .none)
    #expect(upstreams.2.send(2) == .max(3))
    #expect(upstreams.0.history == [.requested(.max(2)), .requested(.max(3))])
    #expect(upstreams.1.history == [.requested(.max(2)), .requested(.max(3))])
    #expect(upstreams.2.history == [.requested(.max(2))])
  }

  @Test func cancelReachesEachUpstreamAndReleasesWhatWaits() {
    var isReleased = false
    let upstreams = (ManualPublisher<CallsOnDeinit, TestError>(), Upstream())
    let downstream = RecordingSubscriber<(CallsOnDeinit, Int), TestError>(requesting: .unlimited)
    ExtraPublishers.ZipEach(upstreams.0, upstreams.1).subscribe(downstream)
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
    ExtraPublishers.ZipEach<(), TestError>().subscribe(downstream)
    #expect(downstream.events.count == 2)
    #expect(downstream.values.isEmpty)
  }

  @Test func aSubscriptionKnowsNothingOfAnother() {
    let subjects = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let zip = ExtraPublishers.ZipEach(subjects.0, subjects.1)
    var (first, second): ([String], [String]) = ([], [])
    let sink = zip.sink { first.append("\($0)\($1)") }
    subjects.0.send(1)
    let other = zip.sink { second.append("\($0)\($1)") }
    subjects.0.send(2)
    subjects.1.send("a")
    sink.cancel()
    subjects.1.send("b")
    #expect(first == ["1a"])
    #expect(second == ["2a"])
    other.cancel()
  }
}
