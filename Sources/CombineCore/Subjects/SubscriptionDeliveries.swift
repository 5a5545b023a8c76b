/// The subscriptions that a subject is delivering at the moment. They decide whether a completion may be delivered.
///
/// A completion must not come before the subscription, though another thread may complete the subject at any moment:
///
///     thread A                                thread B
///     adds the subscriber to the table
///                                             completes the subject
///                                             `admitCompletion` is false: the completion waits
///     delivers the subscription
///     `finish` is true: delivers the completion
///
/// All methods are called with the subject's lock held.
struct SubscriptionDeliveries {

  private struct Entry {
    let subscription: ObjectIdentifier
    let thread: UInt
    var completion = Completion.none
  }

  private enum Completion {
    case none

    /// Another thread has completed the subject meanwhile.
    case isDue

    /// The subscription was cancelled after that.
    case withheld
  }

  /// Apart from the others, so that a single delivery, the usual case, allocates nothing.
  private var first: Entry?
  private var others: [Entry] = []

  var isEmpty: Bool { first == nil && others.isEmpty }

  /// Notes that a thread is about to deliver a subscription.
  mutating func begin(_ subscription: ObjectIdentifier, on thread: UInt) {
    let entry = Entry(subscription: subscription, thread: thread)
    if first == nil {
      first = entry
    } else {
      others.append(entry)
    }
  }

  /// Notes that the downstream has requested something. So it has the subscription, even inside the call that delivers
  /// it.
  mutating func request(_ subscription: ObjectIdentifier) {
    change(subscription) { if $0?.completion == Completion.none { $0 = nil } }
  }

  /// Decides whether a completion is delivered now. If not, it is delivered after the subscription, or never.
  mutating func admitCompletion(for subscription: ObjectIdentifier, on thread: UInt) -> Bool {
    change(subscription) { entry in
      guard entry?.completion == Completion.none else { return false }
      if entry?.thread == thread { return true }
      entry?.completion = .isDue
      return false
    } ?? true
  }

  /// Notes that a subscription was cancelled after the subject had completed.
  mutating func withholdCompletion(from subscription: ObjectIdentifier) {
    change(subscription) { $0?.completion = .withheld }
  }

  /// Notes that the downstream has the subscription.
  ///
  /// - Returns: Whether the completion is to be delivered now.
  mutating func finish(_ subscription: ObjectIdentifier) -> Bool {
    change(subscription) { exchange(&$0, with: nil)?.completion == .isDue } ?? false
  }

  @discardableResult
  private mutating func change<Result>(_ subscription: ObjectIdentifier, _ body: (inout Entry?) -> Result) -> Result? {
    if first?.subscription == subscription { return body(&first) }
    // The latest first: it is a delivery nested in another one.
    guard let index = others.lastIndex(where: { $0.subscription == subscription }) else { return nil }
    var entry: Entry? = others[index]
    defer {
      if let entry { others[index] = entry } else { others.remove(at: index) }
    }
    return body(&entry)
  }
}
