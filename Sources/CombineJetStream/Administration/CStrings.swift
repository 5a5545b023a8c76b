#if JetStream
  import CNATS

  /// Copies of strings, numbers and structures for structures of C, which live as long as this object.
  final class CStrings {

    private var strings: [UnsafeMutablePointer<CChar>] = []
    private var lists: [UnsafeMutablePointer<UnsafePointer<CChar>?>] = []

    private var numbers: [UnsafeMutablePointer<Int64>] = []
    private var sources: [UnsafeMutablePointer<jsStreamSource>] = []
    private var sourceLists: [UnsafeMutablePointer<UnsafeMutablePointer<jsStreamSource>?>] = []

    deinit {
      for source in sources { source.deallocate() }
      for list in sourceLists { list.deallocate() }
      for list in numbers { list.deallocate() }
      for string in strings { string.deallocate() }
      for list in lists { list.deallocate() }
    }

    func copy(_ text: String?) -> UnsafePointer<CChar>? {
      guard let text else { return nil }
      let bytes = text.utf8CString
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      bytes.withUnsafeBufferPointer { copy.initialize(from: $0.baseAddress!, count: $0.count) }
      strings.append(copy)
      return UnsafePointer(copy)
    }

    /// Returns a list of pointers to copies.
    func copy(_ structures: [jsStreamSource]) -> UnsafeMutablePointer<UnsafeMutablePointer<jsStreamSource>?> {
      let list = UnsafeMutablePointer<UnsafeMutablePointer<jsStreamSource>?>.allocate(
        capacity: max(1, structures.count)
      )
      for (index, structure) in structures.enumerated() {
        let copy = UnsafeMutablePointer<jsStreamSource>.allocate(capacity: 1)
        copy.initialize(to: structure)
        sources.append(copy)
        (list + index).initialize(to: copy)
      }
      sourceLists.append(list)
      return list
    }

    func copy(_ list: [Int64]) -> UnsafeMutablePointer<Int64> {
      let copy = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, list.count))
      for (index, number) in list.enumerated() { (copy + index).initialize(to: number) }
      numbers.append(copy)
      return copy
    }

    func copy(_ texts: [String]) -> UnsafeMutablePointer<UnsafePointer<CChar>?> {
      let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: max(1, texts.count))
      for (index, text) in texts.enumerated() { (list + index).initialize(to: copy(text)) }
      lists.append(list)
      return list
    }
  }
#endif
