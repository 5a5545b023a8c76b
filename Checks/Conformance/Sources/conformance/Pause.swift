#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lets other processes run.
func pause(microseconds: UInt32) {
  usleep(microseconds)
}
