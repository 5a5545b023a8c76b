import CombineCore

/// An action that can be taken away from whatever was going to run it.
///
/// A timer, an operation or a source may outlive its use, some for ever. It holds one of these, and the user's action
/// is released when it has run for the last time or is cancelled.
package final class RevocableAction: Cancellable {

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var action: (() -> Void)?

  package init(_ action: @escaping () -> Void) {
    self.action = action
  }

  /// Whether the action is still there.
  package var isPresent: Bool {
    lock.withLock { action != nil }
  }

  /// Runs the action and keeps it.
  package func run() {
    lock.withLock { action }?()
  }

  /// Runs the action for the last time.
  package func runLast() {
    take()?()
  }

  /// Releases the action; a run in progress goes on.
  package func cancel() {
    _ = revoke()
  }

  /// Releases the action; a run in progress goes on.
  ///
  /// - Returns: Whether it was still there.
  package func revoke() -> Bool {
    take() != nil
  }

  private func take() -> (() -> Void)? {
    lock.withLock { exchange(&action, with: nil) }
  }
}

// The action is read and cleared under the lock only, and runs where its owner says.
extension RevocableAction: @unchecked Sendable {}
