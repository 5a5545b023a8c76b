import CombineCore

/// The subscriber of a marble test: asks for everything and notes what arrives when.
final class MarbleRecorder<Input, Failure: Error>: Subscriber {

  enum Event {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)

    /// The test has cancelled the subscription.
    case cancellation
  }

  private let board: MarbleBoard

  /// The time after the last one at which something is expected.
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
    // The test has failed. More of this might go on for ever.
    if board.time >= end { release() }
  }

  /// Cancels the subscription, unless it is over, and notes that.
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
