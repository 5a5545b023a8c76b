/// A collection that logs its calls and forwards them to an array. Copies share one log.
struct LoggingCollection: RangeReplaceableCollection, RandomAccessCollection {

  final class Log {
    fileprivate(set) var calls: [String] = []
  }

  let log = Log()

  private(set) var storage: [Int]

  init() {
    storage = []
    note("init()")
  }

  init(_ storage: [Int]) {
    self.storage = storage
  }

  private func note(_ call: String) {
    log.calls.append(call)
  }

  // Not logged: these give positions, not elements.

  var startIndex: Int { storage.startIndex }

  var endIndex: Int { storage.endIndex }

  // Logged.

  var indices: Range<Int> {
    note("indices")
    return storage.indices
  }

  var count: Int {
    note("count")
    return storage.count
  }

  var underestimatedCount: Int {
    note("underestimatedCount")
    return storage.underestimatedCount
  }

  func makeIterator() -> Array<Int>.Iterator {
    note("makeIterator")
    return storage.makeIterator()
  }

  subscript(position: Int) -> Int {
    note("subscript(position)")
    return storage[position]
  }

  subscript(bounds: Range<Int>) -> Slice<LoggingCollection> {
    note("subscript(bounds)")
    return Slice(base: self, bounds: bounds)
  }

  func index(after index: Int) -> Int {
    note("index(after:)")
    return storage.index(after: index)
  }

  func formIndex(after index: inout Int) {
    note("formIndex(after:)")
    storage.formIndex(after: &index)
  }

  func index(before index: Int) -> Int {
    note("index(before:)")
    return storage.index(before: index)
  }

  func index(_ index: Int, offsetBy distance: Int) -> Int {
    note("index(_:offsetBy:)")
    return storage.index(index, offsetBy: distance)
  }

  func distance(from start: Int, to end: Int) -> Int {
    note("distance(from:to:)")
    return storage.distance(from: start, to: end)
  }

  mutating func reserveCapacity(_ capacity: Int) {
    note("reserveCapacity(_:)")
    storage.reserveCapacity(capacity)
  }

  mutating func append(_ element: Int) {
    note("append(_:)")
    storage.append(element)
  }

  mutating func append<S: Sequence>(contentsOf elements: S) where S.Element == Int {
    note("append(contentsOf:)")
    storage.append(contentsOf: elements)
  }

  mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == Int {
    note("replaceSubrange(_:with:)")
    storage.replaceSubrange(range, with: elements)
  }
}

/// The same collection as a sequence that is not a collection.
struct AnyLoggingSequence: Sequence {

  private let collection: LoggingCollection

  init(_ collection: LoggingCollection) {
    self.collection = collection
  }

  var underestimatedCount: Int { collection.underestimatedCount }

  func makeIterator() -> Array<Int>.Iterator { collection.makeIterator() }
}
