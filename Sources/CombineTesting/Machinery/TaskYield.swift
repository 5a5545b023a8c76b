import CombineThreads

#if canImport(Dispatch)
  import Dispatch
#endif

/// A pause in which other tasks run until they wait again.
enum TaskYield {

  /// The number of times that ``letOthersRun()`` yields. The environment variable `TASK_MEGA_YIELD_COUNT` sets it.
  static let count = count(from: Platform.environment("TASK_MEGA_YIELD_COUNT"))

  /// - Parameter text: The value of the environment variable.
  /// - Returns: The number in the text, clamped to 0…10 000. Without a number, 20.
  static func count(from text: String?) -> Int {
    guard let number = text.flatMap(Int.init) else { return 20 }
    return min(max(number, 0), 10_000)
  }

  /// Waits several times for a task of low priority, which starts only when no other task is ready to run, and for what
  /// the main actor has to run.
  ///
  /// A task elsewhere may have its thread stopped by the system meanwhile, and then is not waited for.
  @MainActor
  static func letOthersRun() async {
    for _ in 0..<count {
      await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
      // On a busy machine, a wait for a task may end before what the main actor was given earlier. The queue is in order.
      #if canImport(Dispatch)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
      #endif
    }
  }
}
