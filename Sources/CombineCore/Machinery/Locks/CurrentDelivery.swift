import CCombinePlatform

/// What a thread is delivering inside: a gate around a downstream, or the request of a sink.
///
/// A subscriber that is called inside a delivery that it knows needs no gate of its own. The address is only compared.
@usableFromInline
enum CurrentDelivery {

  /// The address of what this thread delivers inside; zero for nothing. A number is compared at once, unlike an optional.
  @inlinable
  @inline(__always)
  static var address: UInt { UInt(bitPattern: combine_current_delivery()) }

  /// Runs `body`, which delivers, and then returns to the delivery around it.
  @inlinable
  @inline(__always)
  static func enter<Result>(_ address: UnsafeRawPointer, _ body: () -> Result) -> Result {
    let outer = combine_current_delivery()
    combine_set_current_delivery(address)
    let result = body()
    combine_set_current_delivery(outer)
    return result
  }
}
