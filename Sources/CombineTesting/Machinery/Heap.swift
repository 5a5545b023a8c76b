/// A binary heap, which inserts an element and removes the smallest one in logarithmic time.
struct Heap<Element: Comparable> {

  private(set) var elements: [Element] = []

  /// The smallest element.
  var first: Element? { elements.first }

  var count: Int { elements.count }

  mutating func insert(_ element: Element) {
    elements.append(element)
    siftUp(from: elements.count - 1)
  }

  /// Removes and returns the smallest element. The heap must not be empty.
  mutating func removeFirst() -> Element {
    elements.swapAt(0, elements.count - 1)
    let smallest = elements.removeLast()
    siftDown()
    return smallest
  }

  /// Removes all elements that satisfy a predicate.
  mutating func removeAll(where isUnwanted: (Element) -> Bool) {
    // A sorted array is a heap.
    elements = elements.filter { !isUnwanted($0) }.sorted()
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      let children = (2 * parent + 1)..<(2 * parent + 3)
      guard let child = children.clamped(to: 0..<elements.count).min(by: { elements[$0] < elements[$1] }),
        elements[child] < elements[parent]
      else { return }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}
