import Testing

@testable import CombineCore

@Suite struct CurrentValueConduitTests {

  private typealias Presence = CurrentValueConduit.Presence

  @Test(arguments: [0, 1, 2, 1 << 40])
  func aPresenceKeepsItsNumber(number: Int) {
    let presences: [Presence] = [.present(number), .lacking(number), .owed(number)]
    #expect(presences.map(\.number) == [number, number, number])
    #expect(presences.map(\.isLacking) == [false, true, false])
    #expect(Set(presences.map(\.rawValue)).count == 3)
  }
}
