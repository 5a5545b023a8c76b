import CombineExtras
import TestSupport
import Testing

@Suite struct EnumeratedTests {

  /// The upstream sends the next element inside the delivery of the one before.
  @Test func aNestedElementHasTheNextIndex() {
    let subject = PassthroughSubject<String, Never>()
    var indices: [String] = []
    let sink = subject.enumerated().sink { index, element in
      indices.append("\(index)\(element)")
      if element == "a" { subject.send("b") }
    }
    subject.send("a")
    subject.send("c")
    #expect(indices == ["0a", "1b", "2c"])
    sink.cancel()
  }

  @Test func eachSubscriptionCountsForItself() {
    let publisher = ["a", "b"].publisher.enumerated(initial: 5)
    var indices: [Int] = []
    for _ in 1...2 { publisher.sink { indices.append($0.index) }.cancel() }
    #expect(indices == [5, 6, 5, 6])
  }

  @Test func theDownstreamReceivesTheSubscriptionOfTheUpstream() {
    let downstream = RecordingSubscriber<(index: Int, element: Int), TestError>()
    let upstream = ManualPublisher<Int, TestError>()
    upstream.enumerated(initial: 1).subscribe(downstream)
    #expect(downstream.subscription as? ManualSubscription === upstream.subscription)
  }
}
