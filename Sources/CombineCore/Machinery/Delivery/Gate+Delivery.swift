import CombineThreads

extension Gate {

  /// Sends an element downstream inside the gate, unless it is too late.
  ///
  /// - Parameters:
  ///   - isTooLate: A condition under which the element is dropped.
  ///   - work: A closure that does what another thread has left to this one meanwhile; see ``enterOrDelegate()``.
  @inlinable
  @inline(__always)
  package func pass<S: Subscriber>(
    _ value: S.Input,
    to downstream: S,
    unless isTooLate: @autoclosure () -> Bool,
    delegated work: () -> Void = {}
  ) -> Subscribers.Demand {
    guard enterIfFree() else { return passOccupied(value, to: downstream, unless: isTooLate, delegated: work) }
    let returned = isTooLate() ? DeliveryReceipt.refuse() : deliver(value, to: downstream)
    if leave() { work() }
    return returned
  }

  /// Delivers an element inside the gate, which the thread has entered. A sink downstream then enters no other one.
  @inlinable
  @inline(__always)
  package func deliver<S: Subscriber>(_ value: S.Input, to downstream: S) -> Subscribers.Demand {
    let outer = CurrentDelivery.begin(address)
    let returned = downstream.receive(value)
    CurrentDelivery.end(outer)
    return returned
  }

  /// Does the same as ``pass(_:to:unless:delegated:)`` while a thread is inside the gate, maybe this one. Apart, so that the usual way is short.
  @usableFromInline
  package func passOccupied<S: Subscriber>(
    _ value: S.Input,
    to downstream: S,
    unless isTooLate: () -> Bool,
    delegated work: () -> Void
  ) -> Subscribers.Demand {
    var returned = Subscribers.Demand.none
    let isIn = pass(unless: isTooLate, delegated: work) {
      returned = isTooLate() ? DeliveryReceipt.refuse() : downstream.receive(value)
    }
    if !isIn { DeliveryReceipt.refuse() }
    return returned
  }
}
