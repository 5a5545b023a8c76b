import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct DropLastTests {

  @Test func publishesAllButTheLastElements() {
    marbles {
      "-a-b-c-d-|"
      $0[0].dropLast(2)
      "-----a-b-|"
    }
    marbles {
      "-a-b-|"
      $0[0].dropLast()
      "---a-|"
    }
  }

  @Test func publishesAllForACountOfZero() {
    marbles {
      "-a-b-|"
      $0[0].dropLast(0)
      "-a-b-|"
    }
  }

  @Test func publishesNothingIfThereAreNoMoreElements() {
    marbles {
      "-a-b-|"
      $0[0].dropLast(2)
      "-----|"
    }
  }

  @Test func theElementsOfTheBufferAreRequestedInAddition() {
    let upstream = ManualPublisher<Int, Never>()
    let downstream = RecordingSubscriber<Int, Never>(requesting: .max(2))
    upstream.dropLast(2).subscribe(downstream)
    #expect(upstream.history == [.requested(.max(2))])
    #expect((1...4).map { upstream.send($0) } == [.max(1), .max(1), .none, .none])
    #expect(downstream.values == [1, 2])
  }

  @Test func theElementsOfTheBufferAreReleasedAtTheEnd() {
    var released = 0
    let upstream = PassthroughSubject<CallsOnDeinit, Never>()
    let cancellable = upstream.dropLast(2).sink { _ in }
    for _ in 1...3 { upstream.send(CallsOnDeinit { released += 1 }) }
    #expect(released == 1)
    upstream.send(completion: .finished)
    #expect(released == 3)
    cancellable.cancel()
  }

  @Test func aNegativeCountEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).dropLast(-1)
    }
  }
}
