/// The lines that a run of a script writes, in memory that outlives the process of the run.
///
/// A run may end with a trap. The lines written before the trap remain in memory shared with the parent process.
public struct Trace {

  /// The number of bytes written, then the bytes.
  private let memory: UnsafeMutableRawBufferPointer

  private static let headerSize = 8

  /// - Parameter memory: At least a few kilobytes, aligned to 8 bytes. Lines that do not fit are dropped.
  public init(memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
  }

  public private(set) var count: Int {
    get { memory.load(as: Int.self) }
    nonmutating set { memory.storeBytes(of: newValue, as: Int.self) }
  }

  public func clear() {
    count = 0
  }

  /// Adds a line, indented by its depth. The events inside a callback are deeper than the callback.
  public func add(depth: Int, _ line: String) {
    var line = line
    var position = Self.headerSize + count
    line.withUTF8 { bytes in
      let indentation = 2 * depth
      guard position + indentation + bytes.count + 1 <= memory.count else { return }
      for _ in 0..<indentation {
        memory[position] = UInt8(ascii: " ")
        position += 1
      }
      UnsafeMutableRawBufferPointer(rebasing: memory[position...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
      position += bytes.count
      memory[position] = UInt8(ascii: "\n")
      position += 1
    }
    count = position - Self.headerSize
  }

  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[Self.headerSize..<Self.headerSize + count])
  }

  public func isEqual(to other: Trace) -> Bool {
    count == other.count && bytes.elementsEqual(other.bytes)
  }

  public var lines: [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
