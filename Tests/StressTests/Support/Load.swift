import TestSupport

/// The amount of work of a stress. This is the only place to change for a longer or a shorter run.
enum Load {

  /// With `COMBINE_LONG_TESTS` in the environment, as in `.ci/run nightly`, it is twice as much. The thread sanitizer makes
  /// everything about ten times slower.
  #if THREAD_SANITIZER
    static let factor = 1
  #else
    static let factor = LongRuns.areEnabled ? 2 : 1
  #endif

  /// The number of times that a stress starts over with new objects.
  static let rounds = 25 * factor

  /// The number of values, or other actions, of a thread in a round.
  static let steps = 40

  /// The maximum time of a round, in seconds, before it counts as stuck. A round needs some milliseconds.
  static let patience = 60
}
