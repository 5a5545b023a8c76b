/// A set of slot numbers that finds its next member in a time that hardly depends on the number of slots.
///
/// It has one bit for each slot, and for each 64 words one more word that says which of them are not zero. A search reads
/// two words on each level: one level up to 64 slots, two up to 4096, three up to 262,144. Up to 64 slots it allocates
/// nothing.
struct SlotSet {

  /// The levels below the top, the slots' own bits first.
  private var levels: [[UInt64]] = []
  private var top: UInt64 = 0

  /// The number of members.
  private(set) var count = 0

  init(capacity: Int) {
    var size = capacity
    while size > 64 {
      size = (size + 63) >> 6
      levels.append(Array(repeating: 0, count: size))
    }
  }

  var isEmpty: Bool { count == 0 }

  private func word(_ index: Int, on level: Int) -> UInt64 {
    level == levels.count ? top : levels[level][index]
  }

  func contains(_ slot: Int) -> Bool {
    word(slot >> 6, on: 0) & 1 << UInt64(slot & 63) != 0
  }

  /// Adds a slot.
  ///
  /// - Returns: Whether it was not a member before.
  @discardableResult
  mutating func insert(_ slot: Int) -> Bool {
    if contains(slot) { return false }
    count += 1
    var index = slot
    for level in levels.indices {
      let wasEmpty = levels[level][index >> 6] == 0
      levels[level][index >> 6] |= 1 << UInt64(index & 63)
      guard wasEmpty else { return true }
      index >>= 6
    }
    top |= 1 << UInt64(index)
    return true
  }

  /// Removes a member.
  mutating func remove(_ slot: Int) {
    guard contains(slot) else { return }
    count -= 1
    var index = slot
    for level in levels.indices {
      levels[level][index >> 6] &= ~(1 << UInt64(index & 63))
      guard levels[level][index >> 6] == 0 else { return }
      index >>= 6
    }
    top &= ~(1 << UInt64(index))
  }

  /// The first member from a slot on, and then from the beginning.
  func next(from slot: Int) -> Int? {
    isEmpty ? nil : first(from: slot) ?? first(from: 0)
  }

  /// The first member from a slot on; `nil` if all members are before it.
  private func first(from slot: Int) -> Int? {
    var index = slot
    for level in 0...levels.count {
      let wordIndex = index >> 6
      guard wordIndex < (level == levels.count ? 1 : levels[level].count) else { return nil }
      let bits = word(wordIndex, on: level) & ~0 << UInt64(index & 63)
      if bits != 0 {
        var found = wordIndex << 6 | bits.trailingZeroBitCount
        for below in (0..<level).reversed() { found = found << 6 | levels[below][found].trailingZeroBitCount }
        return found
      }
      // The rest of this word is empty. The next level knows which of the following words are not.
      index = wordIndex + 1
    }
    return nil
  }
}
