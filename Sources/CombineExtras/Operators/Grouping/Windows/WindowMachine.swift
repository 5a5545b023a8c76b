import CombineCore

/// When windows open.
@usableFromInline
enum WindowOpening: Equatable, Sendable {

  /// With the first element, and then with every element that comes this many elements later.
  case everyElements(Int)

  /// At each tick of a clock. A window is open for a number of ticks at most.
  case everyTick(lifetime: Int)

  /// At each tick of a clock, which is the end of the window before, and when a window is full.
  case oneAfterAnother
}

/// What an element, a tick or a timer changes, in this order. The windows close in the order in which they open.
@usableFromInline
struct WindowChange: Equatable {

  /// The number of the oldest windows that close first.
  @usableFromInline
  var expired = 0

  /// Whether a window opens then, which gets the element.
  @usableFromInline
  var opens = false

  /// The number of the oldest windows that close after the element.
  @usableFromInline
  var filled = 0

  /// Whether another window opens after the element.
  @usableFromInline
  var reopens = false

  @inlinable
  init(expired: Int = 0, opens: Bool = false, filled: Int = 0, reopens: Bool = false) {
    self.expired = expired
    self.opens = opens
    self.filled = filled
    self.reopens = reopens
  }
}

/// The pure state of windows: which are open, and when they open and close. Each open window gets each element.
///
/// Windows are numbered from 0. An older window has at least the elements of a newer one, so the oldest one closes first.
@usableFromInline
struct WindowMachine: ~Copyable {

  /// The number of elements that fill a window, or `nil` if elements close none.
  @usableFromInline
  let count: Int?

  @usableFromInline
  let opening: WindowOpening

  /// The numbers of the open windows.
  @usableFromInline
  var open: Range<Int64> = 0..<0

  /// For each open window, the number of elements before it. Empty without a count.
  @usableFromInline
  var starts = Deque<Int64>()

  /// The number of elements before the oldest open window. Not used without a count.
  @usableFromInline
  var oldestStart: Int64 = 0

  @usableFromInline
  var elementCount: Int64 = 0

  /// The number of elements until one opens a window.
  @usableFromInline
  var untilOpening = 0

  @usableFromInline
  var hasRequested = false

  @inlinable
  init(count: Int?, opening: WindowOpening) {
    self.count = count
    self.opening = opening
  }

  /// Handles an element.
  @inlinable
  mutating func receive() -> WindowChange {
    var change = WindowChange()
    if case .everyElements(let step) = opening {
      if untilOpening == 0 {
        change.opens = true
        openWindow()
        untilOpening = step
      }
      untilOpening -= 1
    }
    guard let count else { return change }
    elementCount += 1
    while !open.isEmpty, elementCount - oldestStart == Int64(count) {
      closeWindow()
      change.filled += 1
    }
    if change.filled > 0, opening == .oneAfterAnother {
      change.reopens = true
      openWindow()
    }
    return change
  }

  /// Handles a tick of the clock. The first one is the beginning.
  @inlinable
  mutating func tick() -> WindowChange {
    let lifetime = if case .everyTick(let lifetime) = opening { lifetime } else { 1 }
    let change = WindowChange(expired: closeWindows(before: open.upperBound + 1 - Int64(lifetime)), opens: true)
    openWindow()
    return change
  }

  /// Handles the end of the time of a window.
  @inlinable
  mutating func expire(_ number: Int64) -> WindowChange {
    WindowChange(expired: closeWindows(before: number + 1))
  }

  /// Returns the demand for elements that fill as many windows.
  ///
  /// - Parameter windows: The demand for windows.
  @inlinable
  mutating func elements(for windows: Subscribers.Demand) -> Subscribers.Demand {
    guard case .everyElements(let step) = opening, let count, windows > .none else { return .none }
    // A later window is complete `step` elements after the one before.
    return exchange(&hasRequested, with: true) ? windows * step : (windows - 1) * step + count
  }

  @inlinable
  mutating func openWindow() {
    if count != nil {
      if open.isEmpty { oldestStart = elementCount } else { starts.append(elementCount) }
    }
    open = open.lowerBound..<open.upperBound + 1
  }

  @inlinable
  mutating func closeWindow() {
    open = open.lowerBound + 1..<open.upperBound
    if let start = starts.popFirst() { oldestStart = start }
  }

  @inlinable
  mutating func closeWindows(before number: Int64) -> Int {
    var closed = 0
    while let oldest = open.first, oldest < number {
      closeWindow()
      closed += 1
    }
    return closed
  }
}
