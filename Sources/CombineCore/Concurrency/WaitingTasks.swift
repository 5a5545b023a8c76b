/// What a waiting task is resumed with.
@usableFromInline
enum AwaitedOutcome {

  /// An element, at an address.
  case value(UnsafeMutableRawPointer)

  /// The failure, at an address.
  case failure(UnsafeMutableRawPointer)

  /// The end.
  case end
}

// The task that is resumed takes what lies at the address. No other code uses it until then.
extension AwaitedOutcome: @unchecked Sendable {}

/// The tasks that wait, the oldest first. One is kept without a buffer, for more than one is rare.
@usableFromInline
struct WaitingTasks: ~Copyable {

  @usableFromInline
  typealias Waiter = UnsafeContinuation<AwaitedOutcome, Never>

  @usableFromInline
  var oldest: Waiter?

  @usableFromInline
  var others = Deque<Waiter>()

  @usableFromInline
  var hasOthers = false

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ waiter: Waiter) {
    if oldest == nil {
      oldest = waiter
    } else {
      others.append(waiter)
      hasOthers = true
    }
  }

  @inlinable
  mutating func popFirst() -> Waiter? {
    guard let waiter = oldest else { return nil }
    oldest = nil
    if hasOthers { advance() }
    return waiter
  }

  @usableFromInline
  @inline(never)
  mutating func advance() {
    oldest = others.popFirst()
    hasOthers = !others.isEmpty
  }

  /// Resumes all tasks with `nil`. Called with no lock held.
  @usableFromInline
  consuming func finish() {
    while let waiter = popFirst() { waiter.resume(returning: .end) }
  }
}
