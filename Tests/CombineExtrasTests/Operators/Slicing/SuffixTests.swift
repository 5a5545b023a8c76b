import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

@Suite struct SuffixTests {

  @Test func publishesTheLastElementsAfterTheFinish() {
    marbles {
      "-a-b-c-|"
      $0[0].suffix(2)
      "-------(bc|)"
    }
  }

  @Test func publishesAllElementsIfThereAreFewer() {
    marbles {
      "-a-|"
      $0[0].suffix(2)
      "---(a|)"
    }
  }

  @Test func aFailureIsPassedOnWithoutElements() {
    marbles {
      "-a-b-#"
      $0[0].suffix(2)
      "-----#"
    }
  }

  @Test func noElementsForALengthOfZero() {
    marbles {
      "-a-b-|"
      $0[0].suffix(0)
      "-----|"
    }
  }

  @Test func theElementsWaitForDemand() {
    let downstream = RecordingSubscriber<Int, Never>()
    (1...5).publisher.suffix(3).subscribe(downstream)
    #expect(downstream.events.count == 1)
    downstream.request(.max(2))
    #expect(downstream.values == [3, 4])
    downstream.request(.max(1))
    #expect(downstream.values == [3, 4, 5])
    #expect(downstream.events.last == .finished)
  }

  @Test func requestsAllElementsAtTheFirstRequest() {
    let upstream = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>()
    upstream.suffix(1).subscribe(downstream)
    #expect(upstream.history == [])
    downstream.request(.max(1))
    downstream.request(.max(1))
    #expect(upstream.history == [.requested(.unlimited)])
  }

  @Test func aCancelInsideADeliveryDropsTheRest() {
    let downstream = RecordingSubscriber<Int, Never>(requesting: .unlimited)
    downstream.onValue = { [unowned downstream] _ in
      downstream.cancel()
      return .none
    }
    (1...5).publisher.suffix(3).subscribe(downstream)
    #expect(downstream.values == [3])
    #expect(downstream.events.count == 2)
  }

  @Test func elementsThatAreNoLongerAmongTheLastAreReleased() {
    var released = 0
    let upstream = PassthroughSubject<CallsOnDeinit, Never>()
    let cancellable = upstream.suffix(2).sink { _ in }
    for _ in 1...5 { upstream.send(CallsOnDeinit { released += 1 }) }
    #expect(released == 3)
    cancellable.cancel()
    #expect(released == 5)
  }

  @Test func aNegativeLengthEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).suffix(-1)
    }
  }

  @Test func anElementInsideTheLastDeliveryIsIgnored() {
    let upstream = ManualPublisher<Int, TestError>()
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(1))
    downstream.onValue = { _ in
      upstream.send(2)
      return .none
    }
    upstream.suffix(1).subscribe(downstream)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value(1), .finished])
  }
}
