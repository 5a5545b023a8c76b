/// A counter by which a scene's hubs know which event is being delivered.
final class DeliveryCounter {

  private var count = 0

  /// The number of the event that is being delivered, or `nil`.
  private(set) var current: Int?

  /// Runs a closure that delivers one event.
  func count(_ deliver: () -> Void) {
    count += 1
    current = count
    deliver()
    current = nil
  }
}
