/// A thread that waits with its value, until another thread wakes it.
@usableFromInline
package final class WaitingSender: Sendable {

  private let place = ParkingPlace()
  private let start = ContinuousClock.now

  @usableFromInline
  package init() {}

  /// Waits without sleeping for a moment, and then sleeps, until ``wake()`` was called once more.
  @usableFromInline
  package func wait() {
    if !InterleavingPoint.isDirected {
      for _ in 0..<5 where place.value == 0 { Platform.spin(microseconds: 2) }
    }
    while place.value == 0 { place.sleep(nanoseconds: nil) }
    place.value = 0
  }

  @usableFromInline
  package func wake() {
    place.value = 1
    place.wake()
  }

  /// Whether the thread has waited so long that no other thread is to overtake it. If a test directs the threads, it has.
  package var isImpatient: Bool {
    InterleavingPoint.isDirected || start.duration(to: .now) >= Gate.patience
  }
}
