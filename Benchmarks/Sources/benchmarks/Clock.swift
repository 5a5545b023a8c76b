import Foundation

/// What time is measured with.
enum Clock {

  /// The processor's time that went into the calling thread: what else the machine does meanwhile is not in it.
  case thread

  /// The processor's time that went into all threads of this process.
  case process

  /// The time that passed.
  case wall

  /// Nanoseconds, of which differences mean something.
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
