import Synchronization

/// A cancellable with an erased type, which cancels when it is released.
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
  /// - Parameter cancel: A closure that runs once.
  @inlinable
  public init(_ cancel: @escaping () -> Void) {
    action = cancel
  }

  /// Creates a cancellable that cancels another one when it is cancelled or released.
  ///
  /// - Parameter canceller: The object that is cancelled once. It is kept until then.
  @inlinable
  public init<C: Cancellable>(_ canceller: C) {
    // The closure captures no existential, because a call through one reaches a `cancel()` that is not specialized.
    action = { canceller.cancel() }
  }

  deinit {
    // No other thread can hold a reference here, so a plain load is enough.
    if !isCancelled.load(ordering: .acquiring) { action() }
  }

  /// Cancels.
  ///
  /// Only the first call has an effect, whichever thread it is made on.
  @inlinable
  public func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    exchange(&action, with: {})()
  }

  /// Appends this object itself to a collection, with one call of `append`.
  ///
  /// - Parameter collection: The collection that keeps this object alive.
  @inlinable
  public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Inserts this object itself into a set.
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

  /// Returns whether both references are to the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool {
    lhs === rhs
  }
}

// Only one thread touches the action: the winner of the atomic exchange in `cancel`.
extension AnyCancellable: @unchecked Sendable {}
