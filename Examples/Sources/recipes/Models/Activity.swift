import Combine
import Foundation

/// An indicator of whether any of the tracked publishers is active.
final class Activity {

  @Published private(set) var isBusy = false

  private var count = 0 {
    didSet {
      if isBusy != (count > 0) { isBusy = count > 0 }
    }
  }

  fileprivate func begin() { count += 1 }
  fileprivate func end() { count -= 1 }
}

extension Publisher {

  /// Delivers this publisher's signals on the main queue, and marks an activity as active from the subscription to the
  /// end.
  func tracked(by activity: Activity) -> some Publisher<Output, Failure> {
    receive(on: DispatchQueue.main)
      .handleEvents(
        receiveSubscription: { _ in activity.begin() },
        receiveCompletion: { _ in activity.end() },
        receiveCancel: { activity.end() }
      )
  }
}
