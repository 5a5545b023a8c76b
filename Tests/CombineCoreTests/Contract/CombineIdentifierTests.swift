import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@Suite struct CombineIdentifierTests {

  @Test func everyNewIdentifierIsDifferentOnAnyThread() {
    let identifiers = Guarded<Set<CombineIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let own = (0..<100).map { _ in CombineIdentifier() }
      identifiers.withLock { $0.formUnion(own) }
    }
    #expect(identifiers.withLock(\.count) == 800)
  }

  @Test func everyNewIdentifierIsDifferentOnOneThread() {
    #expect(Set((0..<1000).map { _ in CombineIdentifier() }).count == 1000)
  }

  @Test func anObjectAlwaysHasTheSameIdentifier() {
    final class Object {}
    let (one, other) = (Object(), Object())
    #expect(CombineIdentifier(one) == CombineIdentifier(one))
    #expect(CombineIdentifier(one) != CombineIdentifier(other))
    let address = UInt(bitPattern: Unmanaged.passUnretained(one).toOpaque())
    #expect(CombineIdentifier(one).description == "0x" + String(address, radix: 16))
  }

  @Test func showsItsRawValue() {
    let children = Array(Mirror(reflecting: CombineIdentifier()).children)
    #expect(children.count == 1)
    #expect(children.first?.label == "rawValue")
    #expect(children.first?.value is UInt64)
  }

  @Test func aClassIsIdentifiedByItself() {
    final class Object: CustomCombineIdentifierConvertible {}
    let object = Object()
    #expect(object.combineIdentifier == CombineIdentifier(object))
  }
}
