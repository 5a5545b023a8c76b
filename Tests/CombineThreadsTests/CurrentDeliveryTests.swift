import Testing

@testable import CombineCore
@testable import CombineThreads

@Suite struct CurrentDeliveryTests {

  /// A value that comes later on the same thread, outside the delivery, must not seem to be inside it.
  @Test func endsWhereItsCallEnds() {
    let (outer, inner) = (UnsafeRawPointer(bitPattern: 8)!, UnsafeRawPointer(bitPattern: 16)!)
    CurrentDelivery.enter(outer) {
      #expect(CurrentDelivery.address == 8)
      CurrentDelivery.enter(inner) { #expect(CurrentDelivery.address == 16) }
      #expect(CurrentDelivery.address == 8)
    }
    #expect(CurrentDelivery.address == 0)
  }
}
