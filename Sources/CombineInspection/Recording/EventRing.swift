/// The latest events, up to a capacity.
struct EventRing {

  let capacity: Int

  private var events: [Timeline.Event] = []

  /// The index of the earliest event, once the ring is full.
  private var start = 0

  /// The number of events that were replaced.
  private(set) var droppedCount = 0

  init(capacity: Int) {
    self.capacity = capacity
  }

  mutating func append(_ event: Timeline.Event) {
    guard capacity > 0 else {
      droppedCount += 1
      return
    }
    if events.count < capacity {
      events.append(event)
    } else {
      events[start] = event
      start = (start + 1) % capacity
      droppedCount += 1
    }
  }

  /// The events in their order.
  var all: [Timeline.Event] { Array(events[start...] + events[..<start]) }
}
