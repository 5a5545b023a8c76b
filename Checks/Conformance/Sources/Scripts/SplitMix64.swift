/// A small random number generator whose sequence depends only on its seed, on every platform.
public struct SplitMix64: RandomNumberGenerator, Sendable {

  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension SplitMix64 {

  /// A number in a range, the same on every platform. The random number of an `Int` takes as many bits as that has.
  mutating func number(in range: ClosedRange<Int>) -> Int {
    Int(Int64.random(in: Int64(range.lowerBound)...Int64(range.upperBound), using: &self))
  }

  mutating func number(in range: Range<Int>) -> Int {
    number(in: range.lowerBound...range.upperBound - 1)
  }
}
