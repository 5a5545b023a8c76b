import Synchronization

/// The thread on which a connection was ended while other upstreams may still send: by a failure or by a cancel.
///
/// Both cancel the upstreams, but a value of one of them may be on its way on another thread at that very moment. It
/// must not follow the failure downstream; nor come to a thread that has cancelled as well, and went on while the first
/// to cancel was still at it. A value that comes later on the thread that ended it is from a publisher that has sent it
/// though it was cancelled, and passes as in Combine.
@usableFromInline
struct EndThread: ~Copyable, Sendable {

  @usableFromInline
  let thread = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// Notes the end: a failure before the downstream is told inside its gate, a cancel before the upstreams are.
  @usableFromInline
  func note() {
    thread.store(Platform.currentThread, ordering: .releasing)
  }

  /// Whether a value comes too late; to be asked inside the gate, where there is one.
  @inlinable
  @inline(__always)
  var isElsewhere: Bool {
    let thread = thread.load(ordering: .acquiring)
    return thread != 0 && thread != Platform.currentThread
  }
}
