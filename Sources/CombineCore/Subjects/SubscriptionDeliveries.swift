/// The subscriptions that a subject is handing over, on whichever threads: whether a completion may go downstream.
///
/// It may not go before the subscription, though another thread may end the subject at any moment. It is called with
/// the subject's lock held.
struct SubscriptionDeliveries {

  private struct Entry {
    let subscription: ObjectIdentifier
    let thread: UInt
    var completion = Completion.none
  }

  private enum Completion {
    case none

    /// Another thread has ended the subject meanwhile.
    case isDue

    /// And then the subscription was cancelled.
    case withheld
  }

  /// There is hardly ever more than one at a time, so that one needs no allocation.
  private var first: Entry?
  private var others: [Entry] = []

  var isEmpty: Bool { first == nil && others.isEmpty }

  /// Notes that a thread is about to hand a subscription over.
  mutating func begin(_ subscription: ObjectIdentifier, on thread: UInt) {
    let entry = Entry(subscription: subscription, thread: thread)
    if first == nil {
      first = entry
    } else {
      others.append(entry)
    }
  }

  /// Notes that the downstream has asked for something: so it has the subscription, even if it is still inside the
  /// call that brings it.
  mutating func request(_ subscription: ObjectIdentifier) {
    change(subscription) { if $0?.completion == Completion.none { $0 = nil } }
  }

  /// Decides whether a completion goes downstream now. If not, it does when the subscription is handed over, or never.
  mutating func admitCompletion(for subscription: ObjectIdentifier, on thread: UInt) -> Bool {
    change(subscription) { entry in
      guard entry?.completion == Completion.none else { return false }
      if entry?.thread == thread { return true }
      entry?.completion = .isDue
      return false
    } ?? true
  }

  /// Notes that a subscription was cancelled after the subject's end.
  mutating func withholdCompletion(from subscription: ObjectIdentifier) {
    change(subscription) { $0?.completion = .withheld }
  }

  /// Notes that the downstream has the subscription.
  ///
  /// - Returns: Whether it is to be told of the completion now.
  mutating func finish(_ subscription: ObjectIdentifier) -> Bool {
    change(subscription) { exchange(&$0, with: nil)?.completion == .isDue } ?? false
  }

  @discardableResult
  private mutating func change<Result>(_ subscription: ObjectIdentifier, _ body: (inout Entry?) -> Result) -> Result? {
    if first?.subscription == subscription { return body(&first) }
    // The latest first, which a handover inside a handover is.
    guard let index = others.lastIndex(where: { $0.subscription == subscription }) else { return nil }
    var entry: Entry? = others[index]
    defer {
      if let entry { others[index] = entry } else { others.remove(at: index) }
    }
    return body(&entry)
  }
}
