#if THREAD_SANITIZER
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif
#else
  import Synchronization
#endif

/// A mutex of the system, for the queues in which the threads wait that a ``Gate`` does not let in.
///
/// It is a `Mutex` in normal builds. The thread sanitizer does not understand that type. With the compilation condition
/// `THREAD_SANITIZER` it is a `pthread_mutex_t` instead.
struct SystemLock: ~Copyable, @unchecked Sendable {

  // Sendable: threads share a mutex by design, and the pointer to it never changes.

  #if THREAD_SANITIZER
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    private func lock() {
      pthread_mutex_lock(mutex)
    }

    private func unlock() {
      pthread_mutex_unlock(mutex)
    }
  #else
    private let mutex = Mutex(())

    private func lock() {
      mutex._unsafeLock()
    }

    private func unlock() {
      mutex._unsafeUnlock()
    }
  #endif

  /// Runs `body` with the mutex held.
  func withLock<Result>(_ body: () -> Result) -> Result {
    InterleavingPoint.lockWillBeTaken.reach()
    lock()
    let result = body()
    unlock()
    InterleavingPoint.lockWasReleased.reach()
    return result
  }
}
