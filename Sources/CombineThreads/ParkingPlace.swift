import CCombinePlatform

/// A place where a thread sleeps until another thread sets a value and wakes it. It is a futex on Linux, and a mutex with a
/// condition elsewhere.
package final class ParkingPlace {

  private let place: UnsafeMutablePointer<combine_parking_place>

  package init() {
    place = .allocate(capacity: 1)
    combine_parking_init(place)
  }

  deinit {
    combine_parking_destroy(place)
    place.deallocate()
  }

  /// Zero while the thread sleeps.
  package var value: UInt32 {
    get { combine_parking_value(place) }
    set { combine_parking_set(place, newValue) }
  }

  /// Sleeps until the value is not zero. May return early.
  ///
  /// - Parameter nanoseconds: The maximum time; `nil` for no limit.
  package func sleep(nanoseconds: Int64?) {
    if InterleavingPoint.isDirected {
      // If a test directs the threads, the time is over immediately.
      if nanoseconds == nil { InterleavingPoint.threadSleeps.reach() }
    } else {
      combine_parking_wait(place, nanoseconds ?? -1)
    }
  }

  /// Wakes the thread, after the value was set.
  package func wake() {
    combine_parking_wake(place)
    InterleavingPoint.threadIsWoken.reach()
  }
}

// Its C functions are atomic operations, or take its mutex.
extension ParkingPlace: @unchecked Sendable {}
