import Synchronization

/// The thread on which an operator with several upstreams has failed.
///
/// A failure cancels the other upstreams, but a value of one of them may be on its way on another thread at that very
/// moment: it must not follow the failure downstream. A value that comes later on the same thread is from a publisher
/// that has sent it though it was cancelled, and passes as in Combine.
@usableFromInline
struct FailureThread: ~Copyable, Sendable {

  @usableFromInline
  let thread = Atomic<UInt>(0)

  @inlinable
  init() {}

  /// Notes a failure, before the downstream is told inside its gate.
  @usableFromInline
  func noteFailure() {
    thread.store(Platform.currentThread, ordering: .releasing)
  }

  /// Whether a value comes too late; to be asked inside the gate.
  @inlinable
  @inline(__always)
  var hasOvertaken: Bool {
    let thread = thread.load(ordering: .acquiring)
    return thread != 0 && thread != Platform.currentThread
  }
}
