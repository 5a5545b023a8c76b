/// The subscriptions that a subject is delivering at the moment.
///
/// A completion must not come before the subscription, though another thread may complete the subject at any moment; see
/// ``Announcement``. There is a table of them in the subject, and not one in each subscription, because there may be very
/// many subscriptions, and few are being delivered.
///
/// All methods are called with the subject's lock held.
struct SubjectAnnouncements {

  private typealias Entry = (subscription: ObjectIdentifier, announcement: Announcement)

  /// Apart from the others, so that a single delivery, the usual case, allocates nothing.
  private var first: Entry?
  private var others: [Entry] = []

  // Neither `== nil` nor `isEmpty` of an array, which are calls of generic functions in a debug build.
  var isEmpty: Bool {
    if case .some = first { return false }
    return others.count == 0
  }

  /// Notes that a thread is about to deliver a subscription.
  mutating func begin(_ subscription: ObjectIdentifier, on thread: UInt) {
    var announcement = Announcement()
    _ = announcement.begin(on: thread)
    if first == nil {
      first = (subscription, announcement)
    } else {
      others.append((subscription, announcement))
    }
  }

  /// Notes that the downstream has requested something. So it has the subscription.
  ///
  /// - Returns: Whether the thread is delivering the subscription.
  mutating func request(_ subscription: ObjectIdentifier, on thread: UInt) -> Bool {
    change(subscription) {
      let isDelivering = $0.thread == thread
      $0.noteRequest()
      return isDelivering
    }
  }

  /// Decides whether a completion is delivered now. If not, it is delivered after the subscription, or never.
  mutating func admitCompletion(for subscription: ObjectIdentifier, on thread: UInt) -> Bool {
    change(subscription, otherwise: true) { !$0.holds(from: thread) }
  }

  /// Notes that a subscription was cancelled after the subject had completed.
  ///
  /// - Returns: Whether it is still being delivered.
  mutating func withholdCompletion(from subscription: ObjectIdentifier) -> Bool {
    change(subscription) {
      $0.withdraw()
      return true
    }
  }

  /// Notes that the downstream has the subscription.
  ///
  /// - Returns: Whether the completion is to be delivered now.
  mutating func finish(_ subscription: ObjectIdentifier) -> Bool {
    change(subscription) { $0.end() }
  }

  /// Changes an announcement, and removes it if the downstream then has the subscription.
  ///
  /// - Parameter answer: What is returned if the subscription is not being delivered.
  private mutating func change(
    _ subscription: ObjectIdentifier,
    otherwise answer: Bool = false,
    _ body: (inout Announcement) -> Bool
  ) -> Bool {
    if first?.subscription == subscription {
      let result = body(&first!.announcement)
      if first!.announcement.isDone { first = nil }
      return result
    }
    // The latest first: it is a delivery nested in another one.
    guard let index = others.lastIndex(where: { $0.subscription == subscription }) else { return answer }
    let result = body(&others[index].announcement)
    if others[index].announcement.isDone { others.remove(at: index) }
    return result
  }
}
