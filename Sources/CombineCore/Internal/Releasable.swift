import Synchronization

/// Holds an object that any number of threads use without a lock, until it is let go: once, for good, by any of them.
///
/// It is released when it has been let go and the last use is over. A use costs two atomic operations.
@usableFromInline
struct Releasable<Object: AnyObject>: ~Copyable {

  /// Retained from `init` until the last user after `letGo()`, or else `deinit`, releases it.
  @usableFromInline
  let object: Unmanaged<Object>

  /// Twice the number of uses that are going on, and one more when the object has been let go, after which no use
  /// begins: so one value, 1, is reached exactly once, when the object can be released.
  @usableFromInline
  let uses = Atomic<UInt>(0)

  @inlinable
  init(_ object: Object) {
    self.object = .passRetained(object)
  }

  @inlinable
  deinit {
    if uses.load(ordering: .acquiring) == 0 { object.release() }
  }

  /// Runs `body` with the object, unless that has been let go. It may be let go meanwhile, by `body` too.
  @inlinable
  func use(_ body: (Object) -> Void) {
    guard begin() else { return }
    object._withUnsafeGuaranteedRef(body)
    end()
  }

  /// Lets the object go: no use begins after this. It is released now, or when those going on are over.
  @inlinable
  func letGo() {
    if uses.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue == 0 { object.release() }
  }

  @inlinable
  func begin() -> Bool {
    var old = uses.load(ordering: .relaxed)
    while old & 1 == 0 {
      let (done, seen) = uses.weakCompareExchange(expected: old, desired: old &+ 2, ordering: .acquiring)
      if done { return true }
      old = seen
    }
    return false
  }

  @inlinable
  func end() {
    if uses.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 1 { object.release() }
  }
}
