import Synchronization

/// The subscribers of a subject that can complete.
///
/// The class is not generic, unlike the subject's core. This code runs for each subscription, and generic code would look up
/// types.
@usableFromInline
class CompletableSubjectTable: SubjectTable {

  @usableFromInline
  final let hasEnded = Atomic<Bool>(false)

  /// Whether there are any `announcements`, to be read without the lock.
  private final let hasAnnouncements = Atomic<Bool>(false)

  @exclusivity(unchecked)  // Only with the lock held.
  private final var announcements = SubjectAnnouncements()

  @inlinable
  @inline(__always)
  final func hasCompleted() -> Bool { hasEnded.load(ordering: .acquiring) }

  /// Adds a subscription to the table, unless the subject has completed.
  ///
  /// - Returns: Whether it was added.
  @usableFromInline
  final func register(_ subscription: SubjectSubscription, of subject: AnyObject) -> Bool {
    lock.lock()
    let isOpen = !hasEnded.load(ordering: .relaxed)
    if isOpen {
      insert(subscription, sustaining: subject)
      announcements.begin(identity(of: subscription), on: Platform.currentThread)
      hasAnnouncements.store(true, ordering: .relaxed)
    }
    lock.unlock()
    tidy()
    return isOpen
  }

  /// Notes that the downstream has received the subscription.
  ///
  /// - Returns: Whether the completion is to be delivered now.
  @usableFromInline
  final func endAnnouncement(of subscription: SubjectSubscription) -> Bool {
    changeAnnouncements { $0.finish(identity(of: subscription)) }
  }

  /// Notes that a subscriber has requested something.
  ///
  /// - Returns: Whether this thread is delivering the subscription, and this is the first request.
  @discardableResult
  final func noteRequest(from subscription: SubjectSubscription) -> Bool {
    changeAnnouncements { $0.request(identity(of: subscription), on: Platform.currentThread) }
  }

  /// Decides whether a completion is delivered now. If not, it is delivered after the subscription, or never.
  final func admitsCompletion(for subscription: SubjectSubscription) -> Bool {
    changeAnnouncements(otherwise: true) {
      $0.admitCompletion(for: identity(of: subscription), on: Platform.currentThread)
    }
  }

  override func withholdCompletion(from subscription: SubjectSubscription) {
    _ = changeAnnouncements { $0.withholdCompletion(from: identity(of: subscription)) }
  }

  /// Changes `announcements` if it is not empty.
  ///
  /// A caller has received its subscription, or found it in the table, after the entry was made. So the check without the
  /// lock sees the entry if it is still there.
  ///
  /// - Parameter answer: What is returned if it is empty.
  @inline(__always)  // Otherwise the closure retains the subscription.
  private func changeAnnouncements(
    otherwise answer: Bool = false,
    _ body: (inout SubjectAnnouncements) -> Bool
  ) -> Bool {
    guard hasAnnouncements.load(ordering: .relaxed) else { return answer }
    lock.lock()
    let result = body(&announcements)
    hasAnnouncements.store(!announcements.isEmpty, ordering: .relaxed)
    lock.unlock()
    return result
  }
}

// A debug build would call the initializer of an identifier, which retains and releases the object.
@_transparent
private func identity(of subscription: SubjectSubscription) -> ObjectIdentifier {
  unsafeBitCast(subscription, to: ObjectIdentifier.self)
}
