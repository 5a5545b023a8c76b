import Synchronization

/// A cancellable that hides what it cancels, and cancels it when it is released.
///
/// ```swift
/// var subscriptions = Set<AnyCancellable>()
/// Just(1).sink { print($0) }.store(in: &subscriptions)
/// ```
public final class AnyCancellable: Cancellable, Hashable {

  @exclusivity(unchecked)  // After `init`, touched only by the one call that sets `isCancelled`, and by `deinit`.
  @usableFromInline
  var action: () -> Void

  @usableFromInline
  let isCancelled = Atomic<Bool>(false)

  /// Creates a cancellable that runs a closure when it is cancelled or released.
  ///
  /// - Parameter cancel: What to run, once.
  @inlinable
  public init(_ cancel: @escaping () -> Void) {
    action = cancel
  }

  /// Creates a cancellable that cancels another one when it is cancelled or released.
  ///
  /// - Parameter canceller: What to cancel, once; kept until then.
  @inlinable
  public init<C: Cancellable>(_ canceller: C) {
    // Not an existential, which would lead to a cancel that is not specialised for its type.
    action = { canceller.cancel() }
  }

  deinit {
    // Nobody else is left to cancel, so there is nothing to win.
    if !isCancelled.load(ordering: .acquiring) { action() }
  }

  /// Cancels. Only the first call does anything, whichever thread it comes from.
  @inlinable
  public func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    exchange(&action, with: {})()
  }

  /// Adds this object itself to a collection, by one `append`.
  ///
  /// - Parameter collection: The collection that keeps this object alive.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Adds this object itself to a set.
  ///
  /// - Parameter set: The set that keeps this object alive.
  @inlinable
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  /// Hashes the identity of this object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// Whether both are one object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
    lhs === rhs
  }
}

// The action is touched by one thread only: the winner of the atomic exchange in `cancel`.
extension AnyCancellable: @unchecked Sendable {}
