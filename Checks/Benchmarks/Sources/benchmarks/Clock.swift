import Foundation

/// A clock that measures time.
enum Clock {

  /// The processor time of the calling thread, which excludes all other work of the machine.
  case thread

  /// The processor time of all threads of this process.
  case process

  /// The wall-clock time.
  case wall

  /// The current reading in nanoseconds. Only differences are meaningful.
  var now: Double {
    var time = timespec()
    clock_gettime(identifier, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private var identifier: clockid_t {
    switch self {
    case .thread: CLOCK_THREAD_CPUTIME_ID
    case .process: CLOCK_PROCESS_CPUTIME_ID
    case .wall: CLOCK_MONOTONIC
    }
  }
}
