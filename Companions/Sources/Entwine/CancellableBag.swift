import CombineExtras
import Synchronization

/// A set of cancellables.
@available(*, deprecated, message: "Use Set<AnyCancellable>.")
public typealias CancellationBag = Set<AnyCancellable>

/// A container that cancels its contents when it is cancelled or deallocated.
@available(*, deprecated, message: "Use Set<AnyCancellable>.")
public final class CancellableBag: Cancellable {

  private let contents = Mutex<[AnyCancellable]>([])

  /// Creates an empty container.
  public init() {}

  deinit {
    cancel()
  }

  /// Adds a cancellable.
  ///
  /// - Parameter cancellable: The cancellable.
  public func add<C: Cancellable>(_ cancellable: C) {
    let cancellable = AnyCancellable(cancellable)
    contents.withLock { $0.append(cancellable) }
  }

  /// Cancels the contents, and empties the container.
  public func cancel() {
    let cancelled = contents.withLock { contents in
      defer { contents = [] }
      return contents
    }
    for cancellable in cancelled { cancellable.cancel() }
  }
}

@available(*, deprecated, message: "Use store(in:).")
extension Cancellable {

  /// Adds this cancellable to a container.
  ///
  /// - Parameter cancellationBag: The container.
  public func cancelled(by cancellationBag: CancellableBag) {
    cancellationBag.add(self)
  }
}
