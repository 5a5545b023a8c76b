/// How much a stress does. The one place to change for a longer or a shorter run.
enum Load {

  /// The thread sanitizer makes everything some ten times slower.
  #if THREAD_SANITIZER
    static let factor = 1
  #else
    static let factor = 4
  #endif

  /// How often a stress starts over with new objects.
  static let rounds = 25 * factor

  /// How many values, or other actions, a thread makes in a round.
  static let steps = 40

  /// How long a round may take, where it needs some milliseconds, before it counts as stuck.
  static let patience = 60
}
