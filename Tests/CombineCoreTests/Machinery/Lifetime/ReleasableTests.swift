import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import CombineCore

@Suite struct ReleasableTests {

  /// A value that says when it is gone.
  private final class Value: Sendable {
    let number: Int
    let onDeinit: @Sendable () -> Void

    init(_ number: Int, onDeinit: @escaping @Sendable () -> Void) {
      self.number = number
      self.onDeinit = onDeinit
    }

    deinit { onDeinit() }
  }

  /// The macros of the tests copy what a call is made on, and a releasable value cannot be copied.
  private final class Holder: @unchecked Sendable {  // Any thread may use it, and its value is `Sendable`.
    let value: Releasable<Value>
    let isReleased: Flag

    init(_ number: Int = 7) {
      let flag = Flag()
      isReleased = flag
      value = Releasable(Value(number) { flag.set() })
    }

    func use<Result>(_ body: (Value) -> Result) -> Result? { value.use(body) }
    func hold() -> Releasable<Value>.Box? { value.hold() }
    func end() { value.end() }
  }

  private final class Flag: Sendable {
    private let word = Atomic<Int>(0)
    func set() { word.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    var isSet: Bool { word.load(ordering: .sequentiallyConsistent) == 1 }
  }

  @Test func lendsItsValueUntilItEnds() {
    let holder = Holder()
    #expect(holder.use { $0.number } == 7)
    #expect(holder.hold()?.value.number == 7)
    #expect(!holder.isReleased.isSet)
    holder.end()
    #expect(holder.isReleased.isSet)
    #expect(holder.use { $0.number } == nil)
    #expect(holder.hold() == nil)
    holder.end()
    #expect(holder.isReleased.isSet)
  }

  @Test func letsTheValueGoWithItself() {
    var holder: Holder? = Holder()
    let isReleased = holder!.isReleased
    #expect(!isReleased.isSet)
    holder = nil
    #expect(isReleased.isSet)
  }

  @Test func keepsTheValueWhileItIsUsed() {
    let holder = Holder()
    holder.use { value in
      holder.end()
      #expect(!holder.isReleased.isSet)
      #expect(value.number == 7)
      #expect(holder.use { $0.number } == nil)
    }
    #expect(holder.isReleased.isSet)
  }

  @Test func lendsItAgainInsideAUse() {
    let holder = Holder()
    holder.use { outer in
      holder.use { inner in
        #expect(inner === outer)
        holder.end()
        #expect(!holder.isReleased.isSet)
      }
      #expect(!holder.isReleased.isSet)
    }
    #expect(holder.isReleased.isSet)
  }

  @Test func aHeldValueOutlivesTheLease() {
    let holder = Holder()
    var held = holder.hold()
    holder.end()
    #expect(!holder.isReleased.isSet)
    #expect(held?.value.number == 7)
    held = nil
    #expect(holder.isReleased.isSet)
  }

  @Test func usesDoNotWaitForEachOther() {
    let holder = Holder()
    let inside = DispatchSemaphore(value: 0)
    let both = DispatchSemaphore(value: 0)
    let results = Guarded<[Int?]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      let result = holder.use { value in
        // Each waits until the other is inside.
        (index == 0 ? inside : both).signal()
        (index == 0 ? both : inside).wait()
        return value.number
      }
      results.withLock { $0.append(result) }
    }
    #expect(results.withLock { $0 } == [7, 7])
  }

  @Test func endingWhileOthersUseItReleasesItOnceAndNeverTooEarly() {
    for _ in 0..<300 {
      let holder = Holder()
      let wrong = Atomic<Int>(0)
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index == 0 {
          for _ in 0..<20 { _ = holder.hold()?.value.number }
          holder.end()
        } else {
          for _ in 0..<100 {
            let isAlive = holder.use { _ in !holder.isReleased.isSet }
            if isAlive == false { wrong.wrappingAdd(1, ordering: .relaxed) }
          }
        }
      }
      #expect(wrong.load(ordering: .relaxed) == 0)
      #expect(holder.isReleased.isSet)
      #expect(holder.use { $0.number } == nil)
    }
  }
}
