import CombineCore

/// The pure state of a window of elements in work: how many there are, what they weigh, and which ones wait.
///
/// The weight of an element is known when it has arrived. So the upstream is asked for as many elements as fit if they
/// weigh what the latest ones did. Those that weigh more wait here, in their order, until there is room.
///
/// Each method is one event. What it returns is done with no lock held.
@usableFromInline
struct WorkWindow<Input>: ~Copyable {

  /// An element whose work begins.
  @usableFromInline
  struct Beginning {
    @usableFromInline
    let input: Input

    @usableFromInline
    let weight: Int

    @inlinable
    init(input: Input, weight: Int) {
      self.input = input
      self.weight = weight
    }
  }

  /// The maximum number of elements that were asked for, wait, are in work, or have an undelivered result.
  @usableFromInline
  let maximumCount: Int

  /// The maximum weight of the elements in work, `nil` for any. A heavier element is in work alone.
  @usableFromInline
  let maximumWeight: Int?

  /// The number of elements that were asked for and have not come.
  @usableFromInline
  var requestedCount = 0

  /// The number of elements that wait or are in work.
  @usableFromInline
  var workingCount = 0

  /// The weight of the elements in work, and of those that wait.
  @usableFromInline
  var weightInWork = 0

  @usableFromInline
  var weightWaiting = 0

  /// What an element is expected to weigh, `nil` before the first one. It falls slowly, so that one light element among
  /// heavy ones does not cause a request for many.
  @usableFromInline
  var expectedWeight: Int?

  @usableFromInline
  var waiting = Deque<Beginning>()

  /// Whether a thread begins the work of elements. Others leave theirs to it, so that work begins in the order of the
  /// elements.
  @usableFromInline
  var isBeginning = false

  @inlinable
  init(maximumCount: Int, maximumWeight: Int? = nil) {
    self.maximumCount = maximumCount
    self.maximumWeight = maximumWeight
  }

  /// Takes an element of the upstream.
  ///
  /// - Returns: The element if its work begins now. Then ``next()`` follows. Without a maximum weight, it always begins.
  @inlinable
  mutating func receive(_ input: Input, weight: Int) -> Beginning? {
    requestedCount -= 1
    workingCount += 1
    let beginning = Beginning(input: input, weight: weight)
    guard maximumWeight != nil else { return beginning }
    expectedWeight = expectedWeight.map { max(weight, $0 - ($0 + 15) / 16, 1) } ?? max(weight, 1)
    weightWaiting += weight
    waiting.append(beginning)
    return beginNext()
  }

  /// Drops an element that has come after the end.
  @inlinable
  mutating func refuse() {
    requestedCount -= 1
  }

  /// The work of an element has begun on this thread.
  ///
  /// - Returns: The next element whose work begins now.
  @inlinable
  mutating func next() -> Beginning? {
    guard maximumWeight != nil else { return nil }
    isBeginning = false
    return beginNext()
  }

  /// Returns the first element that waits, if there is room and no other thread begins work.
  @inlinable
  mutating func beginNext() -> Beginning? {
    guard let maximumWeight, !isBeginning, let weight = waiting.first?.weight,
      weightInWork == 0 || weight <= maximumWeight - weightInWork
    else { return nil }
    weightWaiting -= weight
    weightInWork += weight
    isBeginning = true
    return waiting.popFirst()
  }

  /// The work of an element has ended.
  @inlinable
  mutating func end(weight: Int) {
    workingCount -= 1
    if maximumWeight != nil { weightInWork -= weight }
  }

  /// Returns how many elements to ask for now. It is at least half of what fits, so that switches of threads and writes to a
  /// socket are shared by many, or zero.
  @inlinable
  mutating func refill(undeliveredCount: Int) -> Int {
    var free = maximumCount - requestedCount - workingCount - undeliveredCount
    var whole = maximumCount
    if let maximumWeight {
      let isIdle = requestedCount + workingCount == 0
      if let expectedWeight {
        whole = min(whole, max(1, maximumWeight / expectedWeight))
        let room = max(0, maximumWeight - weightInWork - weightWaiting) / expectedWeight - requestedCount
        free = min(free, isIdle ? max(1, room) : room)
      } else {
        free = isIdle ? min(free, 1) : 0
        whole = 1
      }
    }
    guard free > 0, free >= whole / 2 else { return 0 }
    requestedCount += free
    return free
  }

  /// Empties the queue, because all has ended.
  ///
  /// - Returns: The elements that waited. They are released with no lock held.
  @inlinable
  mutating func removeAll() -> [Beginning] {
    weightWaiting = 0
    let dropped = waiting.elements
    waiting = Deque()
    return dropped
  }
}
