import CombineCore

/// The pure state of a window of elements in work: how many there are, what they weigh, and which ones wait.
///
/// The weight of an element is known when it has arrived. So the upstream is asked for as many elements as fit if they
/// weigh what the latest ones did. Those that weigh more wait here, in their order, until there is room.
///
/// Each method is one event. What it returns is done with no lock held.
struct WorkWindow<Input>: ~Copyable {

  /// An element whose work begins.
  struct Beginning {
    let input: Input
    let weight: Int
  }

  /// The maximum number of elements that were asked for, wait, are in work, or have an undelivered result.
  let maximumCount: Int

  /// The maximum weight of the elements in work, `nil` for any. A heavier element is in work alone.
  let maximumWeight: Int?

  /// The number of elements that were asked for and have not come.
  private(set) var requestedCount = 0

  /// The number of elements that wait or are in work.
  private(set) var workingCount = 0

  /// The weight of the elements in work, and of those that wait.
  private(set) var weightInWork = 0
  private var weightWaiting = 0

  /// What an element is expected to weigh, `nil` before the first one. It falls slowly, so that one light element among
  /// heavy ones does not cause a request for many.
  private var expectedWeight: Int?

  private var waiting = Deque<Beginning>()

  /// Whether a thread begins the work of elements. Others leave theirs to it, so that work begins in the order of the
  /// elements.
  private var isBeginning = false

  init(maximumCount: Int, maximumWeight: Int? = nil) {
    self.maximumCount = maximumCount
    self.maximumWeight = maximumWeight
  }

  /// Takes an element of the upstream.
  ///
  /// - Returns: The element if its work begins now. Then ``next()`` follows. Without a maximum weight, it always begins.
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
  mutating func refuse() {
    requestedCount -= 1
  }

  /// The work of an element has begun on this thread.
  ///
  /// - Returns: The next element whose work begins now.
  mutating func next() -> Beginning? {
    guard maximumWeight != nil else { return nil }
    isBeginning = false
    return beginNext()
  }

  /// Returns the first element that waits, if there is room and no other thread begins work.
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
  mutating func end(weight: Int) {
    workingCount -= 1
    if maximumWeight != nil { weightInWork -= weight }
  }

  /// Returns how many elements to ask for now. It is at least half of what fits, so that switches of threads and writes to a
  /// socket are shared by many, or zero.
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
  mutating func removeAll() -> [Beginning] {
    weightWaiting = 0
    let dropped = waiting.elements
    waiting = Deque()
    return dropped
  }
}
