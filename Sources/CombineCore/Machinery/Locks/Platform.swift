import CCombinePlatform

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(WinSDK)
  import WinSDK
#endif

/// What the package needs of the operating system.
@usableFromInline
package enum Platform {

  /// A number for this thread. It is not zero, and differs from the number of every other living thread.
  @inlinable
  package static var currentThread: UInt {
    #if canImport(WinSDK)
      UInt(GetCurrentThreadId())
    #elseif os(WASI)
      1
    #else
      combine_current_thread()
    #endif
  }

  /// Yields the processor to other threads.
  static func yieldThread() {
    #if canImport(WinSDK)
      SwitchToThread()
    #elseif !os(WASI)
      sched_yield()
    #endif
  }

  /// Waits for a number of microseconds without sleeping, and without touching memory that other threads write.
  static func spin(microseconds: Int) {
    let clock = ContinuousClock()
    let end = clock.now + .microseconds(microseconds)
    while clock.now < end {}
  }

  /// Whether the system lets a thread make all other threads execute a fence.
  private static let hasHeavyFence = combine_fence_is_registered() != 0

  /// Makes all other threads of the process execute a full fence.
  ///
  /// On other systems it sleeps until each store that was executed before has become visible, which takes less than a
  /// microsecond on any processor.
  @usableFromInline
  static func fenceAllThreads() {
    if hasHeavyFence {
      combine_fence_heavy()
    } else if !InterleavingPoint.isDirected {
      sleep(microseconds: 50)
    }
  }

  /// Sleeps for about this number of microseconds.
  private static func sleep(microseconds: UInt32) {
    #if canImport(WinSDK)
      Sleep(DWORD(max(1, microseconds / 1000)))
    #elseif !os(WASI)
      usleep(microseconds)
    #endif
  }

  /// Stops in the debugger, and returns when the debugger continues. Without a debugger the process ends.
  @usableFromInline
  static func stopInDebugger() {
    #if canImport(WinSDK)
      DebugBreak()
    #elseif os(WASI)
      fatalError("a breakpoint was reached")
    #else
      raise(SIGTRAP)
    #endif
  }

  /// Writes a line to the standard error stream.
  package static func printError(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    #if canImport(WinSDK)
      _ = WriteFile(GetStdHandle(STD_ERROR_HANDLE), bytes, DWORD(bytes.count), nil, nil)
    #else
      _ = write(STDERR_FILENO, bytes, bytes.count)
    #endif
  }
}
