import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct CollectByStepTests {

  typealias Upstream = ManualPublisher<Int, TestError>
  typealias Downstream = RecordingSubscriber<[Int], TestError>

  @Test func arraysOverlapIfTheStepIsShorter() {
    marbles(outputs: ["x": ["a", "b", "c"], "y": ["c", "d", "e"], "z": ["e"]]) {
      "a-b-c-d-e-|"
      $0[0].collect(3, every: 2)
      "----x---y-(z|)"
    }
  }

  @Test func elementsBetweenArraysAreDroppedIfTheStepIsLonger() {
    marbles(outputs: ["x": ["a", "b"], "y": ["e"]]) {
      "a-b-c-d-e-|"
      $0[0].collect(2, every: 4)
      "--x-------(y|)"
    }
  }

  @Test func aFailureDropsTheArraysThatHaveBegun() {
    marbles(outputs: ["x": ["a", "b", "c"], "y": ["b", "c", "d"]]) {
      "a-b-c-d-#"
      $0[0].collect(3, every: 1)
      "----x-y-#"
    }
  }

  @Test func requestsTheElementsThatTheArraysNeed() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(2), returning: [.none, .max(1)])
    upstream.collect(3, every: 2).subscribe(downstream)
    #expect(upstream.history == [.requested(.max(5))])
    let returned = (1...5).map { upstream.send($0) }
    #expect(downstream.values == [[1, 2, 3], [3, 4, 5]])
    #expect(returned == [.none, .none, .none, .none, .max(2)])
    downstream.request(.max(1))
    #expect(upstream.history == [.requested(.max(5)), .requested(.max(2))])
  }

  @Test func arraysAtTheEndWaitForDemand() {
    let upstream = Upstream()
    let downstream = Downstream(requesting: .max(1))
    upstream.collect(3, every: 1).subscribe(downstream)
    for number in 1...3 { upstream.send(number) }
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value([1, 2, 3])])
    downstream.request(.max(1))
    #expect(downstream.values == [[1, 2, 3], [2, 3]])
    downstream.request(.max(1))
    #expect(downstream.events.suffix(2) == [.value([3]), .finished])
  }

  @Test func releasesTheElementsAtACancel() {
    final class Element {}
    weak var released: Element?
    let upstream = ManualPublisher<Element, TestError>()
    let downstream = RecordingSubscriber<[Element], TestError>(requesting: .unlimited)
    upstream.collect(3, every: 1).subscribe(downstream)
    do {
      let element = Element()
      released = element
      upstream.send(element)
    }
    #expect(released != nil)
    downstream.cancel()
    #expect(released == nil)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }
}
