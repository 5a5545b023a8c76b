import CMemory

/// What this process uses, in bytes; nothing where that cannot be read.
struct Memory {

  /// What is allocated on the heap.
  var heap: Int?

  var resident: Int?

  static var now: Memory {
    Memory(heap: known(memory_heap()), resident: known(memory_resident()))
  }

  private static func known(_ bytes: Int64) -> Int? { bytes < 0 ? nil : Int(bytes) }
}
