#if JetStream
  import Dispatch
  import Synchronization

  /// The number of messages that were delivered and are neither settled nor released, and of publishes that wait for their
  /// acknowledgement.
  ///
  /// A thread that waits for the end is woken by the last piece of work:
  ///
  ///     the thread that waits              the thread of the last piece
  ///     says that it waits
  ///     reads the number: 1
  ///                                        makes the number 0
  ///                                        reads that somebody waits: signals
  ///     sleeps, and is woken
  ///
  /// Each writes before it reads, and both in one order for all threads, so not both can read the old value.
  final class WorkInHand: Sendable {

    private let count = Atomic<Int>(0)
    private let isAwaited = Atomic<Bool>(false)
    private let isAbandoned = Atomic<Bool>(false)
    private let end = DispatchSemaphore(value: 0)

    func begin() {
      count.add(1, ordering: .sequentiallyConsistent)
    }

    func finish() {
      let left = count.subtract(1, ordering: .sequentiallyConsistent).newValue
      if left == 0, isAwaited.load(ordering: .sequentiallyConsistent) { end.signal() }
    }

    /// Ends all waits, because the connection is closed.
    func abandon() {
      isAbandoned.store(true, ordering: .sequentiallyConsistent)
      if isAwaited.load(ordering: .sequentiallyConsistent) { end.signal() }
    }

    /// Waits until there is no work, or the connection is closed. It blocks, until a deadline at most.
    ///
    /// - Returns: Whether there is no work.
    func awaitEnd(until deadline: ContinuousClock.Instant) -> Bool {
      isAwaited.store(true, ordering: .sequentiallyConsistent)
      // Others may wait, too.
      defer { end.signal() }
      while count.load(ordering: .sequentiallyConsistent) > 0, !isAbandoned.load(ordering: .sequentiallyConsistent) {
        let time = deadline - .now
        guard time > .zero, end.wait(timeout: .now() + .nanoseconds(Int(time.nanoseconds))) == .success else { break }
      }
      return count.load(ordering: .sequentiallyConsistent) == 0
    }
  }
#endif
