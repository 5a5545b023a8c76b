import Combine
import Foundation

/// Knows whether any of the publishers that it tracks is at work, for an indicator.
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

  /// Moves what this publisher sends to the main queue, and lets an activity know from its subscription to its end.
  func tracked(by activity: Activity) -> some Publisher<Output, Failure> {
    receive(on: DispatchQueue.main)
      .handleEvents(
        receiveSubscription: { _ in activity.begin() },
        receiveCompletion: { _ in activity.end() },
        receiveCancel: { activity.end() }
      )
  }
}
