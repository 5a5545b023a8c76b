import Synchronization

/// Counts entries and notes whether two threads were inside at once.
package final class OverlapProbe: Sendable {
  private let inside = Atomic<Int>(0)
  private let entries = Atomic<Int>(0)
  private let overlapped = Atomic<Bool>(false)
  private let completionCount = Atomic<Int>(0)
  private let late = Atomic<Bool>(false)

  package init() {}

  package var count: Int { entries.load(ordering: .acquiring) }
  package var completions: Int { completionCount.load(ordering: .acquiring) }
  package var hasOverlapped: Bool { overlapped.load(ordering: .acquiring) }
  package var hasReceivedAfterCompletion: Bool { late.load(ordering: .acquiring) }

  package func enter(_ body: () -> Void) {
    if inside.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue != 1 {
      overlapped.store(true, ordering: .releasing)
    }
    if completions != 0 { late.store(true, ordering: .releasing) }
    entries.wrappingAdd(1, ordering: .relaxed)
    body()
    inside.wrappingSubtract(1, ordering: .acquiringAndReleasing)
  }

  package func complete() {
    if inside.load(ordering: .acquiring) != 0 { overlapped.store(true, ordering: .releasing) }
    completionCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }
}
