/// The rules for every operator whose upstreams keep the protocol.
enum Law: String, Hashable, CustomStringConvertible {

  /// A subscriber receives one subscription, before all other signals.
  case oneSubscription = "one subscription"

  /// The number of values never exceeds the demand.
  case demand = "no value beyond demand"

  case nothingAfterCompletion = "nothing after a completion"

  /// No signal arrives after the first `cancel()` has returned.
  ///
  /// There is one exception: an element that an operator is processing may still arrive once. A cancel inside the
  /// operator's closure does not revoke it.
  case nothingAfterCancel = "nothing after a cancel"

  /// A live upstream is cancelled when all downstreams have cancelled before a completion.
  case cancelReachesUpstream = "a cancel reaches upstream"

  /// The previous two laws, for a cancel before every source has sent its subscription.
  case earlyCancel = "a cancel holds that comes early"

  /// No upstream is cancelled twice.
  case noSecondCancel = "no second cancel"

  /// When no outside reference to the pipeline is left, all its objects are released.
  case release = "every object released"

  /// The same for a pipeline that has not ended. Of two operators in a chain, one may hold the other as its
  /// subscription and be held as its subscriber. Only an end releases them. An exempt pipeline is cancelled at the end
  /// of a run, and must be released then.
  case releaseWithoutEnd = "every object released without an end"

  /// When all subscribers have ended, no timer is left.
  case timersEnd = "every timer ends"

  var description: String { rawValue }
}
