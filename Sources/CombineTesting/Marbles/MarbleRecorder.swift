import CombineCore

/// The subscriber of a marble test, which requests unlimited demand and records events with their times.
final class MarbleRecorder<Input, Failure: Error>: Subscriber {

  enum Event {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)

    /// The test has cancelled the subscription.
    case cancellation
  }

  private let board: MarbleBoard

  /// The time after the last expected event.
  private let end: Int

  private var subscription: (any Subscription)?

  private(set) var events: [(time: Int, event: Event)] = []

  init(board: MarbleBoard, end: Int) {
    self.board = board
    self.end = end
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    note(.value(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    subscription = nil
    note(.completion(completion))
  }

  private func note(_ event: Event) {
    events.append((board.time, event))
    // The test has failed. A publisher that continues might never stop.
    if board.time >= end { release() }
  }

  /// Cancels the subscription and records that, unless the subscription has ended.
  func cancel() {
    guard subscription != nil else { return }
    events.append((board.time, .cancellation))
    release()
  }

  /// Cancels the subscription.
  func release() {
    exchange(&subscription, with: nil)?.cancel()
  }
}
