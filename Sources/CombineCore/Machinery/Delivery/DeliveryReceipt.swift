import CombineThreads
import CCombinePlatform

/// What becomes of an element whose publisher acknowledges it to somebody else, such as a message of a stream.
///
/// A call of `receive(_:)` that has returned says little: a subscriber that another thread has just cancelled drops the
/// element, and an asynchronous sequence only passes it to a task. So the publisher offers a receipt while it delivers, in
/// a variable of the thread. A subscriber that drops the element refuses it. One that works on the element later defers it.
///
///     thread A: delivers an element               thread B: cancels
///                                                 the sink steps to `ended`
///     the sink drops the element, and refuses it
///                                                 the publisher's subscription hears of the cancel
///     gives the element back
///
/// Code that a subscriber calls sees the receipt, too. If that code sends an element to a cancelled sink, it refuses a
/// receipt that is not its own, and the publisher delivers its element once more.
///
/// Each publisher has one receipt for all its elements, and delivers one element at a time.
@usableFromInline
package final class DeliveryReceipt {

  package enum Outcome: Sendable {

    /// The subscriber has returned.
    case handled

    /// The subscriber has dropped the element, because it has ended.
    case refused

    /// The subscriber calls ``DeferrableElement/complete(isHandled:)`` later.
    case deferred
  }

  @exclusivity(unchecked)  // Only the delivering thread uses it, within the delivery.
  private var outcome = Outcome.handled

  @exclusivity(unchecked)  // The same.
  private var element: (any DeferrableElement)?

  package init() {}

  private var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// Delivers an element with this receipt.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - deliver: A closure that calls the downstream.
  /// - Returns: What the closure returns, and what has become of the element.
  package func offer<Result>(_ element: any DeferrableElement, _ deliver: () -> Result) -> (Result, Outcome) {
    let outer = combine_delivery_receipt()
    self.element = element
    outcome = .handled
    combine_set_delivery_receipt(address)
    let result = CurrentDelivery.enter(address, deliver)
    combine_set_delivery_receipt(outer)
    self.element = nil
    return (result, outcome)
  }

  private static var current: DeliveryReceipt? {
    combine_delivery_receipt().map { Unmanaged.fromOpaque(UnsafeMutableRawPointer(mutating: $0)).takeUnretainedValue() }
  }

  /// Notes that the element that this thread is delivering was dropped, because its subscriber has ended.
  ///
  /// It is never inlined, so that the path of the elements that are not dropped is short.
  ///
  /// - Returns: No demand.
  @usableFromInline
  @inline(never)
  @discardableResult
  package static func refuse() -> Subscribers.Demand {
    current?.outcome = .refused
    return .none
  }

  /// Defers the element that this thread is delivering, if it comes from its publisher through operators only.
  ///
  /// Otherwise a subject that a subscriber's closure sends to would defer it, once for each of its subscribers.
  ///
  /// - Returns: The element, on which the caller calls `complete(isHandled:)` once.
  @inlinable
  static func `defer`() -> (any DeferrableElement)? {
    combine_delivery_receipt() == nil ? nil : deferCurrent()
  }

  @usableFromInline
  @inline(never)
  static func deferCurrent() -> (any DeferrableElement)? {
    guard let current, current.address == UnsafeRawPointer(bitPattern: CurrentDelivery.address) else { return nil }
    current.outcome = .deferred
    return current.element
  }
}

/// An element whose publisher acknowledges it to somebody else, when it is handled.
@usableFromInline
package protocol DeferrableElement: AnyObject, Sendable {

  /// Takes what has become of the element, if it was deferred. It is called once, on any thread.
  func complete(isHandled: Bool)
}
