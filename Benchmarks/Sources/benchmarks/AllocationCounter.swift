import CAllocationCounter

/// Counts the allocations of this process, whoever makes them.
enum AllocationCounter {

  /// Whether they can be counted here.
  static var isAvailable: Bool { allocation_counter_is_available() }

  /// How many blocks `body` allocates, and how many bytes of the heap it still has at the end.
  static func count(_ body: () -> Void) -> (count: Int, bytes: Int) {
    allocation_counter_start()
    body()
    let counted = allocation_counter_stop()
    return (Int(counted.count), Int(counted.bytes))
  }

  /// Makes known numbers of allocations, and throws unless so many are counted.
  static func verify() throws {
    guard isAvailable else { return }
    try verify("allocations of nothing at all", 0) {}

    var made = 0
    let counted = count { made = Int(allocation_counter_allocate_known()) }
    guard counted.count == made else {
      throw MeasurementError.wrongCount("allocations by C's functions", expected: made, counted: counted.count)
    }
    guard counted.bytes == 0 else {
      throw MeasurementError.wrongCount("bytes that are left", expected: 0, counted: counted.bytes)
    }

    // Each block has a word more than was asked for; a few get a rest that was too small for anything else.
    var blocks: [UnsafeMutableRawPointer] = []
    blocks.reserveCapacity(1000)
    let bytes = count {
      for _ in 0..<1000 { blocks.append(.allocate(byteCount: 120, alignment: 16)) }
    }.bytes
    for block in blocks { block.deallocate() }
    guard (128_000..<129_000).contains(bytes) else {
      throw MeasurementError.wrongCount("bytes", expected: 128_000, counted: bytes)
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
    let counted = count(body).count
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
