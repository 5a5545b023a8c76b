import CMemory

/// The memory that this process uses, in bytes, or `nil` if it cannot be read.
struct Memory {

  /// The number of bytes allocated on the heap.
  var heap: Int?

  var resident: Int?

  static var now: Memory {
    Memory(heap: known(memory_heap()), resident: known(memory_resident()))
  }

  private static func known(_ bytes: Int64) -> Int? { bytes < 0 ? nil : Int(bytes) }
}
