import CCombinePlatform

/// What a thread is delivering inside: a gate around a downstream, or the request of a sink.
///
/// A subscriber that is called inside a delivery that it knows needs no gate of its own. The address is only compared.
@usableFromInline
package enum CurrentDelivery {

  /// The address of what this thread delivers inside; zero for nothing. A number is compared at once, unlike an optional.
  @inlinable
  @_transparent
  package static var address: UInt { UInt(bitPattern: combine_current_delivery()) }

  /// Runs `body`, which delivers, and then returns to the delivery around it.
  @inlinable
  @inline(__always)
  package static func enter<Result>(_ address: UnsafeRawPointer, _ body: () -> Result) -> Result {
    let outer = begin(address)
    let result = body()
    end(outer)
    return result
  }

  /// Does the same without a closure, which captures its variables in a debug build. ``end(_:)`` follows.
  ///
  /// - Returns: The delivery that this one is nested in.
  @inlinable
  @_transparent
  package static func begin(_ address: UnsafeRawPointer) -> UnsafeRawPointer? {
    let outer = combine_current_delivery()
    combine_set_current_delivery(address)
    return outer
  }

  @inlinable
  @_transparent
  package static func end(_ outer: UnsafeRawPointer?) {
    combine_set_current_delivery(outer)
  }
}
