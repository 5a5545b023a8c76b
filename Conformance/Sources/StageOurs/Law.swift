/// What holds for every operator whose upstreams keep the protocol.
enum Law: String, Hashable, CustomStringConvertible {

  /// A subscriber gets one subscription, before anything else.
  case oneSubscription = "one subscription"

  /// Never more values than were asked for.
  case demand = "no value beyond demand"

  case nothingAfterCompletion = "nothing after a completion"

  /// Nothing arrives once `cancel()` has returned.
  case nothingAfterCancel = "nothing after a cancel"

  /// A live upstream is cancelled when all of downstream has cancelled.
  case cancelReachesUpstream = "a cancel reaches upstream"

  /// No upstream is cancelled twice.
  case noSecondCancel = "no second cancel"

  /// When nobody outside holds anything of the pipeline, nothing of it is left.
  case release = "every object released"

  /// The same without a cancel or a completion. Two operators in a row that each hold the next one's subscriber and the
  /// former one's subscription hold each other until then, and so do a subject and its subscriber.
  case releaseWithoutCancel = "every object released without a cancel"

  /// When all subscribers are done, no timer goes on.
  case timersEnd = "every timer ends"

  var description: String { rawValue }
}
