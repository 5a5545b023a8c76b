import Synchronization
import TestSupport
import Testing

@testable import CombineCore

@Suite struct ReleasableTests {

  private final class Object: Sendable {

    private let onDeinit: @Sendable () -> Void

    init(onDeinit: @escaping @Sendable () -> Void) {
      self.onDeinit = onDeinit
    }

    deinit {
      onDeinit()
    }
  }

  private final class Holder: Sendable {

    // Its uses are counted atomically, and the object is Sendable.
    nonisolated(unsafe) let releasable: Releasable<Object>
    let releases: Counter

    init() {
      let releases = Counter()
      self.releases = releases
      releasable = Releasable(Object(onDeinit: { releases.add() }))
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .acquiring) }
    func add() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
  }

  @Test func isUsedUntilItIsLetGo() {
    let holder = Holder()
    var uses = 0
    holder.releasable.use { _ in uses += 1 }
    holder.releasable.use { _ in uses += 1 }
    #expect(uses == 2)
    #expect(holder.releases.value == 0)

    holder.releasable.letGo()
    #expect(holder.releases.value == 1)
    holder.releasable.letGo()
    holder.releasable.use { _ in uses += 1 }
    #expect(uses == 2)
    #expect(holder.releases.value == 1)
  }

  @Test func outlivesTheUsesGoingOn() {
    let holder = Holder()
    var uses = 0
    holder.releasable.use { _ in
      holder.releasable.use { _ in
        holder.releasable.letGo()
        holder.releasable.use { _ in uses += 1 }
      }
      holder.releasable.letGo()
      #expect(holder.releases.value == 0)
    }
    #expect(uses == 0)
    #expect(holder.releases.value == 1)
  }

  @Test func isReleasedAtTheEndIfNeverLetGo() {
    let releases: Counter
    do {
      let holder = Holder()
      releases = holder.releases
      holder.releasable.use { _ in }
    }
    #expect(releases.value == 1)
  }

  @Test func isReleasedOnceAtTheEndIfLetGoBefore() {
    let releases: Counter
    do {
      let holder = Holder()
      releases = holder.releases
      holder.releasable.letGo()
    }
    #expect(releases.value == 1)
  }

  @Test func isReleasedOnceByManyThreads() {
    for _ in 0..<200 {
      let holder = Holder()
      onThreads(4) { thread in
        for use in 0..<50 {
          holder.releasable.use { _ in #expect(holder.releases.value == 0) }
          if thread > 1, use == 25 { holder.releasable.letGo() }
        }
      }
      #expect(holder.releases.value == 1)
    }
  }
}
