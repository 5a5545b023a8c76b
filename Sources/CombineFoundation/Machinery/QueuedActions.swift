#if canImport(Foundation) && canImport(Dispatch) && !os(WASI)
  import CombineThreads
  import CombineCore
  import Foundation

  /// The actions that wait in an operation queue, the oldest first.
  ///
  /// A block operation cannot be told that it was cancelled, and a queue may start the next operation before it has released a
  /// cancelled one. So the next action that runs first releases those before it whose operations were cancelled. An operator
  /// then knows that they never run:
  ///
  ///     action 1: cancelled
  ///     action 2: finds and releases action 1, and then runs
  ///
  /// The blocks of the operations hold this object. So it lives while actions wait.
  final class QueuedActions: @unchecked Sendable {
    // Sendable: the entries are used only with the lock held, and the rest is constant.

    private struct Entry {
      let action: RevocableAction
      weak var operation: Operation?
    }

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var entries = Deque<Entry>()

    private let key: ObjectIdentifier
    private let number: Int

    /// Tells this queue from a later one at the same address.
    private weak var queue: OperationQueue?

    private init(of queue: OperationQueue, number: Int) {
      key = ObjectIdentifier(queue)
      self.number = number
      self.queue = queue
    }

    /// Returns an operation that runs an action, for its queue.
    func operation(_ action: @escaping () -> Void) -> BlockOperation {
      let action = RevocableAction(action)
      let operation = BlockOperation {
        self.removeActions(before: action)
        action.run()
      }
      lock.withLock { entries.append(Entry(action: action, operation: operation)) }
      return operation
    }

    /// Removes an action that is about to run, and releases those before it whose operations were cancelled. Others before it are
    /// running, on a concurrent queue.
    private func removeActions(before action: RevocableAction) {
      var over: [RevocableAction] = []
      var operations: [Operation] = []
      lock.withLock {
        var place = 0
        while place < entries.count {
          let entry = entries.element(at: place)
          let isOwn = entry.action === action
          if !isOwn, let operation = entry.operation {
            operations.append(operation)
            guard operation.isCancelled || operation.isFinished else {
              place += 1
              continue
            }
          }
          _ = entries.remove(at: place)
          if isOwn { return }
          over.append(entry.action)
        }
      }
      for action in over { action.cancel() }
      withExtendedLifetime(operations) {}  // Released with the lock free.
    }

    // MARK: The queues

    private struct Reference {
      let number: Int
      weak var actions: QueuedActions?
    }

    private static let queues = Queues()

    /// The queues in which actions wait.
    private final class Queues: @unchecked Sendable {
      // Sendable: used only with its lock held.
      let lock = Lock()

      @exclusivity(unchecked)
      var references: [ObjectIdentifier: Reference] = [:]

      @exclusivity(unchecked)
      var count = 0
    }

    /// Returns the actions of a queue.
    static func of(_ queue: OperationQueue) -> QueuedActions {
      let (actions, last) = queues.lock.withLock { () -> (QueuedActions, QueuedActions?) in
        let current = queues.references[ObjectIdentifier(queue)]?.actions
        if let current, current.queue === queue { return (current, nil) }
        queues.count &+= 1
        let actions = QueuedActions(of: queue, number: queues.count)
        queues.references[actions.key] = Reference(number: actions.number, actions: actions)
        return (actions, current)
      }
      withExtendedLifetime(last) {}  // Released with the lock free, which the deinitializer takes.
      return actions
    }

    deinit {
      Self.queues.lock.withLock {
        if Self.queues.references[key]?.number == number { Self.queues.references[key] = nil }
      }
    }
  }
#endif
