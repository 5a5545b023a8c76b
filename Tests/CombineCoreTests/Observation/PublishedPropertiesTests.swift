import Testing

@testable import CombineCore

@Suite struct PublishedPropertiesTests {

  @Test func areFoundOnceForEachClass() {
    final class First: ObservableObject { @Published var value = 0 }
    final class Second: ObservableObject { @Published var value = 0 }
    let found = PublishedProperties.of(First.self).toOpaque()
    let objects = (First(), First())
    #expect(objects.0.objectWillChange !== objects.1.objectWillChange)
    #expect(PublishedProperties.of(First.self).toOpaque() == found)
    #expect(PublishedProperties.of(Second.self).toOpaque() != found)
  }

  @Test(arguments: 4...28, [64, 1024])
  func addressesInEqualDistancesBeginAtManySlots(alignment: Int, slots: Int) {
    let shift = UInt64(64 - slots.trailingZeroBitCount)
    for base: UInt in [0x1_0000, 0x5555_1230, 0x7F34_5670] {
      let keys = (0..<slots / 2).map { base &+ UInt($0) << UInt(alignment) }
      let first = Set(keys.map { PublishedProperties.firstSlot(of: $0, shift: shift) })
      #expect(first.allSatisfy { (0..<slots).contains($0) })
      #expect(first.count >= slots / 5, "\(slots / 2) keys begin at \(first.count) slots")
    }
  }
}
