/// A conduit that enforces the protocol on upstream and downstream.
///
/// Every event before a subscription traps, and so does a request for no elements. Only a cancellation may come first.
/// The conduit then refuses the subscription.
///
/// The class is not generic, so that this code exists once. ``FilteringConduit`` adds the path of the elements.
@usableFromInline
class StrictConduit: Conduit {

  @usableFromInline
  override init() {
    super.init()
  }

  @usableFromInline
  override final func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero(String(describing: self))
    if phase == .awaiting { Misuse.trap(String(describing: self), .requestBeforeSubscription) }
    super.request(demand)
  }

  @usableFromInline
  override final func cancel() {
    terminate(.cancelled).subscription?.cancel()
  }

  /// Events after the end may be ignored. Events before the subscription are programming errors.
  @inline(never)
  @usableFromInline
  final func willIgnore(_ mistake: Misuse) {
    if phase == .awaiting { Misuse.trap(String(describing: self), mistake) }
  }
}
