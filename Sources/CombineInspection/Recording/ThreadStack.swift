/// What the current thread is doing to recorded subscriptions, innermost last.
///
/// Only its own thread uses it. The inspector keeps it: there are as many as threads that have run at the same time, as
/// the system uses their identifiers again.
final class ThreadStack {

  enum Call {
    case subscribing(Stage)

    /// `event` is the number of the delivery.
    case delivering(Stage, event: Int?)

    /// `failure` is the number of the failure.
    case failing(Stage, failure: Int)
  }

  private var calls: [Call] = []

  /// The number of the thread.
  let number: Int

  init(number: Int) {
    self.number = number
  }

  func push(_ call: Call) {
    calls.append(call)
  }

  var last: Call? { calls.last }

  func pop() {
    calls.removeLast()
  }

  var subscribed: Stage? {
    if case .subscribing(let stage) = calls.last { stage } else { nil }
  }

  /// The innermost stage whose value is being delivered, with the number of the delivery.
  var delivered: (stage: Stage, event: Int?)? {
    for call in calls.reversed() {
      if case .delivering(let stage, let event) = call { return (stage, event) }
    }
    return nil
  }

  /// The number of the failure that is being delivered.
  var failure: Int? {
    if case .failing(_, let failure) = calls.last { failure } else { nil }
  }

  /// The innermost stage of any call.
  var innermost: Stage? {
    switch calls.last {
    case .subscribing(let stage), .delivering(let stage, _), .failing(let stage, _): stage
    case nil: nil
    }
  }
}
