import Foundation
import Synchronization

/// One thread of a stress, with a source of random numbers and a note of its current action for the watchdog.
final class Worker: @unchecked Sendable {
  // Sendable: the note is atomic, and only its thread uses the rest.

  let index: Int

  private var generator: UInt64
  private let action = Atomic<UInt>(0)
  private let detail = Atomic<Int>(0)
  private let count = Atomic<Int>(0)

  init(index: Int, seed: Int) {
    self.index = index
    generator = UInt64(truncatingIfNeeded: seed &* 31 &+ index) &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// Records the next action, and now and then yields to another thread first.
  ///
  /// - Parameters:
  ///   - action: The action. It is a plain string, because its bytes are kept by address.
  ///   - detail: A number that gives details.
  func note(_ action: StaticString, _ detail: Int = 0) {
    self.detail.store(detail, ordering: .relaxed)
    self.action.store(UInt(bitPattern: action.utf8Start), ordering: .relaxed)
    count.wrappingAdd(1, ordering: .relaxed)
    pause()
  }

  /// The number of notes so far.
  var progress: Int { count.load(ordering: .relaxed) }

  /// A random number from zero up to a limit.
  func random(below limit: Int) -> Int {
    generator ^= generator << 13
    generator ^= generator >> 7
    generator ^= generator << 17
    return Int(generator >> 33) % limit
  }

  /// Yields to another thread, now and then.
  func pause() {
    switch random(below: 8) {
    case 0: sched_yield()
    case 1: for _ in 0..<random(below: 200) { _ = count.load(ordering: .relaxed) }
    default: break
    }
  }

  var description: String {
    guard let text = UnsafePointer<CChar>(bitPattern: action.load(ordering: .relaxed)) else {
      return "thread \(index): has not begun"
    }
    return "thread \(index), action \(progress): \(String(cString: text)) \(detail.load(ordering: .relaxed))"
  }
}
