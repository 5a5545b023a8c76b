import CombineThreads

/// An action that can be revoked from the object that will run it.
///
/// A timer, an operation or a source may outlive its use, some of them forever. It holds a revocable action instead of
/// the user's action. The user's action is released after its last run or when it is cancelled.
@usableFromInline
package final class RevocableAction: Cancellable {

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var action: (() -> Void)?

  @usableFromInline
  package init(_ action: @escaping () -> Void) {
    self.action = action
  }

  /// Whether the action was not revoked yet.
  @usableFromInline
  package var isPresent: Bool {
    lock.withLock { action != nil }
  }

  /// Runs the action and keeps it.
  @usableFromInline
  package func run() {
    lock.withLock { action }?()
  }

  /// Runs the action and releases it.
  @usableFromInline
  package func runLast() {
    take()?()
  }

  /// Releases the action. A run in progress continues.
  @usableFromInline
  package func cancel() {
    _ = revoke()
  }

  /// Releases the action. A run in progress continues.
  ///
  /// - Returns: Whether the action was still present.
  @usableFromInline
  package func revoke() -> Bool {
    take() != nil
  }

  private func take() -> (() -> Void)? {
    lock.withLock { exchange(&action, with: nil) }
  }
}

// The action is read and cleared only with the lock held. The object that holds it decides where it runs.
extension RevocableAction: @unchecked Sendable {}
