import CCombinePlatform
import Foundation
import Testing

@testable import CombineCore
@testable import CombineThreads

@Suite struct PlatformTests {

  /// The step `without-membarrier` runs all tests under a filter of system calls. It would show nothing if that had no effect.
  @Test func knowsWhetherTheSystemHasTheHeavyFence() {
    #if os(Linux)
      let isFiltered = ProcessInfo.processInfo.environment["COMBINE_WITHOUT_MEMBARRIER"] != nil
      #expect((combine_fence_is_heavy() == 0) == isFiltered)
    #endif
    Platform.fenceAllThreads()
  }
}
