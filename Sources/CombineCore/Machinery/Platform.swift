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

/// The few things that the package needs from the operating system.
@usableFromInline
package enum Platform {

  /// A number that is not zero and differs from that of every other thread alive.
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

  /// Lets other threads run.
  static func yieldThread() {
    #if canImport(WinSDK)
      SwitchToThread()
    #elseif !os(WASI)
      sched_yield()
    #endif
  }

  /// Keeps the processor busy for this many microseconds, and touches no memory that another thread writes.
  static func spin(microseconds: Int) {
    let clock = ContinuousClock()
    let end = clock.now + .microseconds(microseconds)
    while clock.now < end {}
  }

  /// Whether the system has a fence that one thread makes all others execute.
  private static let hasHeavyFence = combine_fence_register() != 0

  /// Makes all other threads of the process execute a full fence.
  ///
  /// Where the system has none, it sleeps for so long that each store that was executed before has become visible: that
  /// takes less than a microsecond on any processor.
  @usableFromInline
  static func fenceAllThreads() {
    if hasHeavyFence {
      combine_fence_heavy()
    } else if !InterleavingPoint.isDirected {
      sleep(microseconds: 50)
    }
  }

  /// Sleeps for about this many microseconds.
  private static func sleep(microseconds: UInt32) {
    #if canImport(WinSDK)
      Sleep(DWORD(max(1, microseconds / 1000)))
    #elseif !os(WASI)
      usleep(microseconds)
    #endif
  }

  /// Stops in the debugger; without one the process ends. Returns when the debugger continues.
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
