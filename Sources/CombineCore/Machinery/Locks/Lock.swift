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

/// The lock of this package. It guards a few fields for a few instructions.
///
/// Code that holds it calls nothing but plain code on those fields: no subscriber, subscription, user closure, scheduler
/// or deinitializer of a user's object. Taking it twice on one thread traps.
///
/// It is a `Mutex` in normal builds. The thread sanitizer does not understand that type. With the compilation condition
/// `THREAD_SANITIZER` it is a `pthread_mutex_t` instead.
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {

  // Sendable: threads share a mutex by design, and the pointer to it never changes.

  #if THREAD_SANITIZER
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    @usableFromInline
    package init() {
      mutex = .allocate(capacity: 1)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_settype(&attributes, .init(PTHREAD_MUTEX_ERRORCHECK))
      pthread_mutex_init(mutex, &attributes)
      pthread_mutexattr_destroy(&attributes)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    @usableFromInline
    func lock() {
      InterleavingPoint.lockWillBeTaken.reach()
      let status = pthread_mutex_lock(mutex)
      precondition(status == 0, "a lock was taken twice on one thread")
    }

    @usableFromInline
    func unlock() {
      pthread_mutex_unlock(mutex)
      InterleavingPoint.lockWasReleased.reach()
    }
  #else
    @usableFromInline
    let mutex: Mutex<Void>

    @inlinable
    package init() {
      mutex = Mutex(())
    }

    @inlinable
    @inline(__always)
    func lock() {
      InterleavingPoint.lockWillBeTaken.reach()
      mutex._unsafeLock()
    }

    @inlinable
    @inline(__always)
    func unlock() {
      mutex._unsafeUnlock()
      InterleavingPoint.lockWasReleased.reach()
    }
  #endif

  /// Runs `body` with the lock held.
  ///
  /// Where every value or subscription passes, `lock()` and `unlock()` are called instead. A debug build makes the closure
  /// each time, and looks up the type of its result.
  @inlinable
  @inline(__always)
  package func withLock<Result: ~Copyable, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
