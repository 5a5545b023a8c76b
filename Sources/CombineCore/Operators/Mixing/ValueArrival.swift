/// What an operator with several upstreams does with an element that has arrived.
@usableFromInline
enum ValueArrival {

  /// Deliver it; the demand is unlimited.
  case deliver

  /// Deliver it, as one element of the demand.
  case deliverCounted

  /// Keep it until there is demand.
  case keep
  case drop
}
