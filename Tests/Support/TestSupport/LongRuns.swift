import Foundation
import Testing

/// Tests that need real time, many processes, much memory or many repetitions. With `COMBINE_LONG_TESTS` in the
/// environment, as in the nightly steps of `.ci`, they run at their full length.
public enum LongRuns {

  public static let areEnabled = ProcessInfo.processInfo.environment["COMBINE_LONG_TESTS"] != nil
}

extension Trait where Self == ConditionTrait {

  /// A test that only the nightly steps run.
  public static var inLongRuns: Self {
    .enabled(if: LongRuns.areEnabled, "only with COMBINE_LONG_TESTS=1")
  }
}
