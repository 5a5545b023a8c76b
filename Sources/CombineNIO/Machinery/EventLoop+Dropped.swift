#if NIO
  import NIOCore

  extension EventLoop {

    /// Runs an action on the loop, or another one if the loop drops it.
    ///
    /// A loop that has shut down releases the actions that it is given, and says nothing. It is noticed by that release.
    ///
    /// - Parameters:
    ///   - action: A closure that runs on the loop.
    ///   - didDrop: A closure that runs instead, on the thread that has released the action. The loop runs nothing any more.
    func execute(_ action: @escaping () -> Void, ifDropped didDrop: @escaping () -> Void) {
      let task = DroppableAction(action, didDrop)
      execute { task.run() }
    }
  }

  /// An action of an event loop that notices when it is released without having run.
  ///
  /// `@unchecked Sendable`: the loop uses it until it has run, or the last reference does.
  final class DroppableAction: @unchecked Sendable {

    private var action: (() -> Void)?
    private let didDrop: () -> Void

    init(_ action: @escaping () -> Void, _ didDrop: @escaping () -> Void) {
      self.action = action
      self.didDrop = didDrop
    }

    deinit {
      if action != nil { didDrop() }
    }

    func run() {
      exchange(&action, with: nil)?()
    }
  }
#endif
