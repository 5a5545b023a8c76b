#if JetStream
  import CombineThreads
  import CombineCore
  import Dispatch

  /// The threads that take messages out of the mailboxes of all inboxes.
  ///
  /// Few of them do, as long as they get on. If none has taken another inbox for a moment, while others wait, the subscribers
  /// may block. Then more threads come, and go when no inbox waits. So there are not many more threads than subscribers that
  /// block, and one that blocks does not hold up the others.
  ///
  /// `@unchecked Sendable`: the lock guards all properties.
  final class InboxWorkers: @unchecked Sendable {

    static let shared = InboxWorkers()

    /// The number of threads that suffices while no subscriber blocks.
    private static let usualCount = 4

    /// The maximum number of threads that are added at a time.
    private static let mostAdded = 8

    /// The time without progress after which threads are added.
    private static let patience = DispatchTimeInterval.milliseconds(50)

    private let lock = Lock()
    private let watchQueue = DispatchQueue(label: "CombineJetStream.InboxWorkers")

    @exclusivity(unchecked)  // These five: only with the lock held. The inboxes that wait are those from `next` on.
    private var waiting: [Inbox?] = []

    @exclusivity(unchecked)
    private var next = 0

    @exclusivity(unchecked)
    private var workerCount = 0

    /// How often an inbox was taken, and what that was at the last look.
    @exclusivity(unchecked)
    private var progress = (taken: 0, seen: 0)

    @exclusivity(unchecked)
    private var isWatched = false

    /// Has a thread call ``Inbox/takeAll()`` soon.
    func add(_ inbox: Inbox) {
      let (isToBeWorked, isToBeWatched) = lock.withLock { () -> (Bool, Bool) in
        waiting.append(inbox)
        if workerCount < Self.usualCount {
          workerCount += 1
          return (true, false)
        }
        progress.seen = isWatched ? progress.seen : progress.taken
        return (false, !exchange(&isWatched, with: true))
      }
      if isToBeWorked { onOwnThread { [self] in work() } }
      if isToBeWatched { watch() }
    }

    private func work() {
      while let inbox = takeNext() { inbox.takeAll() }
    }

    private func takeNext() -> Inbox? {
      lock.withLock {
        guard next < waiting.count else {
          waiting.removeAll(keepingCapacity: true)
          next = 0
          workerCount -= 1
          return nil
        }
        progress.taken += 1
        defer {
          next += 1
          if next > 1000, next > waiting.count / 2 {
            waiting.removeFirst(next)
            next = 0
          }
        }
        return exchange(&waiting[next], with: nil)
      }
    }

    private func watch() {
      watchQueue.asyncAfter(deadline: .now() + Self.patience) { [self] in look() }
    }

    private func look() {
      let added = lock.withLock { () -> Int? in
        let count = waiting.count - next
        guard count > 0 else {
          isWatched = false
          return nil
        }
        defer { progress.seen = progress.taken }
        guard progress.taken == progress.seen else { return 0 }
        let added = min(count, Self.mostAdded)
        workerCount += added
        return added
      }
      guard let added else { return }
      for _ in 0..<added { onOwnThread { [self] in work() } }
      watch()
    }
  }
#endif
