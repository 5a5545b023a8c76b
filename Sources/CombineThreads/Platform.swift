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
  import ucrt
#endif

/// What the package needs of the operating system.
@usableFromInline
package enum Platform {

  /// A number for this thread. It is not zero, and differs from the number of every other living thread.
  @inlinable
  @_transparent
  package static var currentThread: UInt {
    #if canImport(WinSDK)
      UInt(GetCurrentThreadId())
    #else
      combine_current_thread()
    #endif
  }

  /// Yields the processor to other threads.
  static func yieldThread() {
    #if canImport(WinSDK)
      SwitchToThread()
    #else
      sched_yield()
    #endif
  }

  /// Waits for a number of microseconds without sleeping, and without touching memory that other threads write.
  static func spin(microseconds: Int) {
    let clock = ContinuousClock()
    let end = clock.now + .microseconds(microseconds)
    while clock.now < end {}
  }

  /// Makes all other threads of the process execute a full fence.
  ///
  /// Where the system cannot, this thread executes one, and so does each other thread between the store and the load that
  /// pair with it.
  @usableFromInline
  static func fenceAllThreads() { combine_fence_heavy() }

  /// Stops in the debugger, and returns when the debugger continues. Without a debugger the process ends.
  @usableFromInline
  package static func stopInDebugger() {
    #if canImport(WinSDK)
      DebugBreak()
    #elseif os(WASI)
      fatalError("a breakpoint was reached")
    #else
      raise(SIGTRAP)
    #endif
  }

  /// Returns the value of an environment variable.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
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
