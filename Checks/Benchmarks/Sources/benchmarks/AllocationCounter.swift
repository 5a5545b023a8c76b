import CAllocationCounter

/// A counter of all allocations of this process.
enum AllocationCounter {

  /// Whether allocations can be counted on this platform.
  static var isAvailable: Bool { allocation_counter_is_available() }

  /// Returns the number of blocks that `body` allocates, and the number of bytes that it has not released at its end.
  static func count(_ body: () -> Void) -> (count: Int, bytes: Int) {
    allocation_counter_start()
    body()
    let counted = allocation_counter_stop()
    return (Int(counted.count), Int(counted.bytes))
  }

  /// Makes known numbers of allocations, and throws an error if the count differs.
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

    // Each block has one word more than requested. A few blocks also include a rest that is too small for another
    // block.
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

  // Without this call, the compiler would remove an unused block.
  @inline(never)
  @_optimize(none)
  private static func release(_ block: UnsafeMutableRawPointer) {
    block.deallocate()
  }

  private final class Object {}
}
