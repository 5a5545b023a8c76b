import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct CatchTypeTests {

  private struct Missing: Error {}

  private func caught(_ error: any Error) -> [Event<Int>] {
    let downstream = RecordingSubscriber<Int, any Error>(requesting: .unlimited)
    Just(1).setFailureType(to: (any Error).self).append(Fail<Int, any Error>(error: error))
      .catch(Missing.self) { _ in Just(2).setFailureType(to: (any Error).self) }
      .subscribe(downstream)
    return Array(downstream.events.dropFirst())
  }

  @Test func continuesAfterAnErrorOfTheType() {
    #expect(caught(Missing()) == [.value(1), .value(2), .finished])
  }

  @Test func passesOtherErrorsOn() {
    #expect(caught(TestError("other")) == [.value(1), .failure("other")])
  }

  @Test func requestsTheRestFromTheOtherPublisher() {
    let downstream = RecordingSubscriber<Int, any Error>(requesting: .max(3))
    [1, 2].publisher.setFailureType(to: (any Error).self).append(Fail<Int, any Error>(error: Missing()))
      .catch(Missing.self) { _ in (3...9).publisher.setFailureType(to: (any Error).self) }
      .subscribe(downstream)
    #expect(downstream.values == [1, 2, 3])
  }

  @Test func theHandlerReceivesTheError() {
    struct Numbered: Error { let number: Int }
    var numbers: [Int] = []
    let cancellable = Fail<Int, any Error>(error: Numbered(number: 5))
      .catch(Numbered.self) { error -> Empty<Int, any Error> in
        numbers.append(error.number)
        return Empty()
      }
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    withExtendedLifetime(cancellable) { #expect(numbers == [5]) }
  }

  @Test func fallbackContinuesAfterAnyError() {
    marbles {
      "a-b-#"
      "x-y-z-|"
      $0[0].fallback(to: $0.cold(1))
      "a-b-x-y-z-|"
      "^"
      "----^"
    }
  }

  @Test func theFallbackIsMadeOnlyAfterAFailure() {
    var count = 0
    func fallback() -> Just<Int> {
      count += 1
      return Just(0)
    }
    let cancellable = Just(1).setFailureType(to: TestError.self).fallback(to: fallback()).sink { _ in }
    withExtendedLifetime(cancellable) { #expect(count == 0) }
  }
}
