/// A thread that waits with its value, until another thread wakes it.
@usableFromInline
package final class WaitingSender: Sendable {

  private let place = ParkingPlace()

  @usableFromInline
  package init() {}

  /// Waits without sleeping for a moment, and then sleeps.
  @usableFromInline
  package func wait() {
    if !InterleavingPoint.isDirected {
      for _ in 0..<5 where place.value == 0 { Platform.spin(microseconds: 2) }
    }
    while place.value == 0 { place.sleep(nanoseconds: nil) }
  }

  @usableFromInline
  package func wake() {
    place.value = 1
    place.wake()
  }
}
