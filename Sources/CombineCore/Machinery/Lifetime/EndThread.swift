import CombineThreads
import Synchronization

/// The thread on which a failure or a cancel has ended a connection, while other upstreams may still send.
///
/// Both cancel the upstreams, but another thread may be sending a value of one of them at that moment:
///
///     thread A                                thread B
///                                             an upstream sends a value
///     another upstream fails: notes the end
///     delivers the failure, inside the gate
///                                             enters the gate, finds the end: drops the value
///
/// A later value on the thread that ended the connection comes from a publisher that ignores its cancel. It is delivered,
/// as in Combine.
@usableFromInline
struct EndThread: ~Copyable, Sendable {

  @usableFromInline
  let thread = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// Notes the end: before a failure is delivered, or before a cancel reaches the upstreams.
  @usableFromInline
  func note() {
    thread.store(Platform.currentThread, ordering: .releasing)
  }

  /// Whether a value is too late. It is checked inside the gate, where there is one.
  @inlinable
  @inline(__always)
  var isElsewhere: Bool {
    let thread = thread.load(ordering: .acquiring)
    return thread != 0 && thread != Platform.currentThread
  }
}
