import TestSupport
import Testing

@testable import CombineCore

/// Numbers that grow with the events of a long life. On a platform of 32 bits an `Int` ends after two billion.
@Suite struct GreatestNumberTests {

  @Test func theInnerPublishersOfASwitchToLatestAreNumberedAnew() {
    let greatest = SwitchToLatestMachine.Mirror.greatest
    var machine = SwitchToLatestMachine(current: greatest - 1)
    var replaced: (any Subscription)?
    for number in [greatest, 1, 2] {
      #expect(machine.nextInner(on: 1, replaced: &replaced) == number)
      #expect(machine.mirror.current == number)
    }
  }

  @Test func aListHasNumbersOf64BitsOnEveryPlatform() {
    var list = SubscriberList(lastNumber: Int64(Int32.max) - 1)
    let elements = (0..<3).map { _ in SubscriberListElement() }
    for element in elements { list.append(element) }
    var walk = SubscriberList.Walk()
    var met = 0
    withUnsafeMutablePointer(to: &walk) { walk in
      list.begin(walk)
      while let next = walk.pointee.next?.takeUnretainedValue(), walk.pointee.step(to: next) {
        #expect(next === elements[met])
        met += 1
      }
      list.endWalk()
    }
    #expect(met == 3)
    for element in elements {
      list.remove(element)
      Unmanaged.passUnretained(element).release()
    }
  }
}
