/// What holds for every operator whose upstreams keep the protocol.
enum Law: String, Hashable, CustomStringConvertible {

  /// A subscriber gets one subscription, before anything else.
  case oneSubscription = "one subscription"

  /// Never more values than were asked for.
  case demand = "no value beyond demand"

  case nothingAfterCompletion = "nothing after a completion"

  /// Nothing arrives once the first `cancel()` has returned.
  ///
  /// Except, once, what an operator is at work on: to cancel from inside its closure does not take that back.
  case nothingAfterCancel = "nothing after a cancel"

  /// A live upstream is cancelled when all of downstream has cancelled, before it got a completion.
  case cancelReachesUpstream = "a cancel reaches upstream"

  /// The last two, of a cancel that comes before every source has given its subscription.
  case earlyCancel = "a cancel holds that comes early"

  /// No upstream is cancelled twice.
  case noSecondCancel = "no second cancel"

  /// When nobody outside holds anything of the pipeline, nothing of it is left.
  case release = "every object released"

  /// The same of a pipeline that goes on. Of two operators in a row, one may hold the other as its subscription and be
  /// held as its subscriber: only an end takes them apart. What is exempt is cancelled at the end of a play, and has to
  /// be released then.
  case releaseWithoutEnd = "every object released without an end"

  /// When all subscribers are done, no timer goes on.
  case timersEnd = "every timer ends"

  var description: String { rawValue }
}
