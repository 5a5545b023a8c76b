import Testing

@testable import CombineCore

@Suite struct SlotSetTests {

  /// Capacities of one level, two and three, with their edges.
  @Test(arguments: [1, 2, 63, 64, 65, 128, 4096, 4097, 10_000])
  func findsTheNextMemberCyclically(capacity: Int) {
    var set = SlotSet(capacity: capacity)
    #expect(set.next(from: 0) == nil)
    #expect(set.next(from: capacity - 1) == nil)
    // Inserts each member alone, and finds it from itself, from both ends and from its neighbour.
    for slot in [0, 1, 62, 63, 64, 127, 128, 4095, 4096, 9999] where slot < capacity {
      #expect(set.insert(slot) == true)
      #expect(set.insert(slot) == false, "it is a member already")
      #expect(set.count == 1)
      for start in [0, slot, min(slot + 1, capacity - 1), capacity - 1] { #expect(set.next(from: start) == slot) }
      set.remove(slot)
      set.remove(slot)
      #expect(set.isEmpty && set.next(from: slot) == nil)
    }
  }

  /// Compares the set with an array of flags, through the same random steps.
  @Test(arguments: [3, 64, 200, 5000])
  func behavesAsAnArrayOfFlags(capacity: Int) {
    var set = SlotSet(capacity: capacity)
    var flags = Array(repeating: false, count: capacity)
    var random = SystemRandomNumberGenerator()
    var log = ""
    for _ in 0..<500 {
      let slot = Int.random(in: 0..<capacity, using: &random)
      let isInserted = Bool.random(using: &random)
      log += isInserted ? "+\(slot) " : "-\(slot) "
      if isInserted { set.insert(slot) } else { set.remove(slot) }
      flags[slot] = isInserted
      let start = Int.random(in: 0..<capacity, using: &random)
      let expected = (start..<capacity).first { flags[$0] } ?? (0..<start).first { flags[$0] }
      #expect(set.next(from: start) == expected, "from \(start) after \(log)")
      #expect(set.count == flags.count { $0 })
      #expect(set.contains(slot) == isInserted)
    }
  }
}
