import CCombinePlatform

/// A place where one thread sleeps until another one sets a value and wakes it: a futex on Linux, a mutex and a condition
/// elsewhere.
final class ParkingPlace {

  private let place: UnsafeMutablePointer<combine_parking_place>

  init() {
    place = .allocate(capacity: 1)
    combine_parking_init(place)
  }

  deinit {
    combine_parking_destroy(place)
    place.deallocate()
  }

  /// Zero while the thread is to sleep.
  var value: UInt32 {
    get { combine_parking_value(place) }
    set { combine_parking_set(place, newValue) }
  }

  /// Sleeps until the value is not zero. May return early.
  ///
  /// - Parameter nanoseconds: The maximum time; `nil` for no limit.
  func sleep(nanoseconds: Int64?) {
    if InterleavingPoint.isDirected {
      // Time is up at once where a test directs the threads.
      if nanoseconds == nil { InterleavingPoint.threadSleeps.reach() }
    } else {
      combine_parking_wait(place, nanoseconds ?? -1)
    }
  }

  /// Wakes the thread; to be called after the value was set.
  func wake() {
    combine_parking_wake(place)
    InterleavingPoint.threadIsWoken.reach()
  }
}

// The C functions on it are atomic operations or take its mutex.
extension ParkingPlace: @unchecked Sendable {}
