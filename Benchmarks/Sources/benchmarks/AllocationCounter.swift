import CAllocationCounter

/// Counts the allocations of this process, whoever makes them.
enum AllocationCounter {

  /// Whether they can be counted here.
  static var isAvailable: Bool { allocation_counter_is_available() }

  /// How many allocations `body` makes.
  static func count(_ body: () -> Void) -> Int {
    allocation_counter_start()
    body()
    return Int(allocation_counter_stop())
  }

  /// Makes known numbers of allocations, and throws unless so many are counted.
  static func verify() throws {
    guard isAvailable else { return }
    try verify("allocations of nothing at all", 0) {}

    var made = 0
    let counted = count { made = Int(allocation_counter_allocate_known()) }
    guard counted == made else {
      throw MeasurementError.wrongCount("allocations by C's functions", expected: made, counted: counted)
    }

    let number = 1000
    var objects: [AnyObject] = []
    objects.reserveCapacity(number)
    try verify("Swift objects", number) {
      for _ in 0..<number { objects.append(Object()) }
    }
    try verify("blocks of memory", number) {
      for size in 1...number { release(UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)) }
    }
    try verify("blocks of memory with a large alignment", number) {
      for size in 1...number { release(UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)) }
    }
  }

  private static func verify(_ what: String, _ expected: Int, _ body: () -> Void) throws {
    let counted = count(body)
    guard counted == expected else {
      throw MeasurementError.wrongCount(what, expected: expected, counted: counted)
    }
  }

  // The compiler would leave out a block that is not used in between.
  @inline(never)
  @_optimize(none)
  private static func release(_ block: UnsafeMutableRawPointer) {
    block.deallocate()
  }

  private final class Object {}
}
