/// Which thread has told a downstream that one of several upstreams has failed. Touched only inside the gate.
///
/// The other upstreams are cancelled then, but one of them may be inside a send on a thread of its own, and cannot take
/// that back: its value comes too late. A value on the thread that told of the failure was sent in spite of the cancel;
/// it passes, as in Combine.
@usableFromInline
struct FailureMark {

  /// The thread; zero while nothing has failed.
  @usableFromInline
  var thread: UInt = 0

  @inlinable
  init() {}

  /// Whether a value that this thread is about to deliver comes too late.
  @inlinable
  @inline(__always)
  var isTooLate: Bool {
    thread != 0 && thread != Platform.currentThread
  }

  /// Notes that this thread tells the downstream of a completion, if that is a failure.
  @inlinable
  mutating func note<Failure>(_ completion: Subscribers.Completion<Failure>) {
    if case .failure = completion { thread = Platform.currentThread }
  }
}
