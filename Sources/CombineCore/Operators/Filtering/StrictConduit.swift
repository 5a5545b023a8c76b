/// A conduit that holds both sides to the protocol: whatever comes before a subscription traps, as does a request for
/// nothing. Only a cancel may come first, and then refuses the subscription.
///
/// Not generic, so that this code exists once; ``FilteringConduit`` adds the path of the elements.
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

  /// What comes after the end may be ignored, what comes before the subscription may not.
  @inline(never)
  @usableFromInline
  final func willIgnore(_ mistake: Misuse) {
    if phase == .awaiting { Misuse.trap(String(describing: self), mistake) }
  }
}
