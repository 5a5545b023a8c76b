import CCombinePlatform
import Foundation
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineThreads

@Suite struct PlatformTests {

  /// The step `without-membarrier` runs all tests under a filter of system calls. It would show nothing if that had no effect.
  @Test func knowsWhetherTheSystemHasTheHeavyFence() {
    Platform.fenceAllThreads()
    #if os(Linux)
      let isFiltered = ProcessInfo.processInfo.environment["COMBINE_WITHOUT_MEMBARRIER"] != nil
      #expect((combine_fence_is_heavy() == 0) == isFiltered)
    #endif
  }

  @Test func theNumbersOfLivingThreadsDiffer() {
    let numbers = SharedLog<UInt>()
    let everyoneIsHere = StartLine(4)
    onThreads(4) { _ in
      numbers.append(Platform.currentThread)
      everyoneIsHere.wait()
    }
    #expect(Set(numbers.values).count == 4)
    #expect(!numbers.values.contains(0))
  }
}
