import CombineCore
import Foundation
import Testing

@Suite struct DemandTests {

  typealias Demand = Subscribers.Demand

  private func expect(_ result: Demand, _ expected: Demand, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(result == expected, sourceLocation: sourceLocation)
  }

  @Test func showsItsCount() {
    #expect(Demand.unlimited.max == nil)
    #expect(Demand.none.max == 0)
    #expect(Demand.max(42).max == 42)
    #expect(Demand.none == .max(0))
  }

  @Test func describesItself() {
    #expect(Demand.unlimited.description == "unlimited")
    #expect(Demand.max(0).description == "max(0)")
    #expect(Demand.max(42).description == "max(42)")
    #expect(!((Demand.none as Any) is any CustomDebugStringConvertible))
  }

  @Test func adds() {
    expect(Demand.unlimited + .max(1), Demand.unlimited)
    expect(Demand.unlimited + .unlimited, Demand.unlimited)
    expect(Demand.max(1) + .unlimited, Demand.unlimited)
    expect(Demand.unlimited + Int.min, Demand.unlimited)
    expect(Demand.max(100) + .max(42), Demand.max(142))
    expect(Demand.max(Int.max) + .max(1), Demand.unlimited)
    expect(Demand.max(Int.max) + .max(Int.max), Demand.unlimited)
    expect(Demand.max(Int.max) + 10, Demand.unlimited)
    expect(Demand.max(5) + -5, Demand.none)
  }

  @Test func subtracts() {
    expect(Demand.unlimited - .max(1), Demand.unlimited)
    expect(Demand.unlimited - .unlimited, Demand.unlimited)
    expect(Demand.unlimited - Int.max, Demand.unlimited)
    expect(Demand.max(3) - .unlimited, Demand.none)
    expect(Demand.max(99) - .max(21), Demand.max(78))
    expect(Demand.max(99) - 21, Demand.max(78))
    expect(Demand.max(Int.max) - (-1), Demand.none)
    expect(Demand.max(1) - (-2), Demand.max(3))
  }

  @Test func multiplies() {
    expect(Demand.unlimited * 0, Demand.unlimited)
    expect(Demand.unlimited * -3, Demand.unlimited)
    expect(Demand.max(Int.max) * 2, Demand.unlimited)
    expect(Demand.max(Int.max) * -2, Demand.unlimited)
    expect(Demand.none * 10, Demand.none)
    expect(Demand.max(6) * 7, Demand.max(42))
  }

  @Test func assignmentFormsGiveTheSameResults() {
    var demand = Demand.max(1)
    demand += .max(2)
    #expect(demand == .max(3))
    demand += 4
    #expect(demand == .max(7))
    demand -= .max(1)
    #expect(demand == .max(6))
    demand -= 2
    #expect(demand == .max(4))
    demand *= 3
    #expect(demand == .max(12))
    demand += .unlimited
    #expect(demand == .unlimited)
    demand -= .unlimited
    #expect(demand == .unlimited)
  }

  @Test func assignmentFormsAreTheBinaryOnesForEveryPairThatDoesNotTrap() {
    let demands: [Demand] = [.none, .max(1), .max(42), .max(Int.max), .unlimited]
    for lhs in demands {
      for rhs in demands {
        var sum = lhs
        sum += rhs
        #expect(sum == lhs + rhs)
        guard lhs >= rhs || rhs == .unlimited else { continue }
        var difference = lhs
        difference -= rhs
        #expect(difference == lhs - rhs)
      }
      for number in [0, 1, 42, Int.max] {
        var (sum, product) = (lhs, lhs)
        sum += number
        product *= number
        #expect(sum == lhs + number)
        #expect(product == lhs * number)
        guard lhs >= number else { continue }
        var difference = lhs
        difference -= number
        #expect(difference == lhs - number)
      }
    }
  }

  @Test func comparesWithDemands() {
    #expect(Demand.unlimited == .unlimited)
    #expect(Demand.unlimited != .max(Int.max))
    #expect(!(Demand.unlimited < .unlimited))
    #expect(!(Demand.unlimited > .unlimited))
    #expect(Demand.unlimited <= .unlimited)
    #expect(Demand.unlimited >= .unlimited)
    #expect(Demand.unlimited > .max(Int.max))
    #expect(Demand.max(Int.max) < .unlimited)
    #expect(Demand.max(1) < .max(2))
    #expect(Demand.max(2) <= .max(2))
    #expect(Demand.max(3) > .max(2))
    #expect(Demand.max(3) >= .max(3))
  }

  @Test func comparesWithIntegersOnBothSides() {
    let two = Demand.max(2)
    let minusOne = -1
    for number in [-1, 0, 1, 2, 3] {
      #expect((two > number) == (2 > number))
      #expect((two >= number) == (2 >= number))
      #expect((two < number) == (2 < number))
      #expect((two <= number) == (2 <= number))
      #expect((two == number) == (2 == number))
      #expect((two != number) == (2 != number))
      #expect((number > two) == (number > 2))
      #expect((number >= two) == (number >= 2))
      #expect((number < two) == (number < 2))
      #expect((number <= two) == (number <= 2))
      #expect((number == two) == (number == 2))
      #expect((number != two) == (number != 2))
    }
    #expect(Demand.none > minusOne)
  }

  @Test(arguments: [Int.min, 0, Int.max])
  func anIntegerIsAlwaysLessThanUnlimited(number: Int) {
    let unlimited = Demand.unlimited
    #expect(unlimited > number && unlimited >= number && unlimited != number)
    #expect(!(unlimited < number) && !(unlimited <= number) && !(unlimited == number))
    #expect(number < unlimited && number <= unlimited && number != unlimited)
    #expect(!(number > unlimited) && !(number >= unlimited) && !(number == unlimited))
  }

  @Test func isEncodedAsASingleInteger() throws {
    func json(_ demand: Demand) throws -> String {
      String(decoding: try JSONEncoder().encode(["value": demand]), as: UTF8.self)
    }
    func demand(_ json: String) throws -> Demand? {
      try JSONDecoder().decode([String: Demand].self, from: Data(json.utf8))["value"]
    }
    #expect(try json(.max(42)) == #"{"value":42}"#)
    #expect(try json(.unlimited) == #"{"value":9223372036854775808}"#)
    #expect(try demand(#"{"value":42}"#) == .max(42))
    #expect(try demand(#"{"value":9223372036854775808}"#) == .unlimited)
    #expect(try demand(#"{"value":9223372036854775809}"#) == .unlimited)
    #expect(throws: DecodingError.self) { try demand(#"{"value":-1}"#) }
  }

  @Test func isEncodedAsASingleIntegerInAPropertyListToo() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    for (demand, integer) in [(Demand.max(42), "42"), (.unlimited, "9223372036854775808")] {
      let data = try encoder.encode(["value": demand])
      #expect(String(decoding: data, as: UTF8.self).contains("<integer>\(integer)</integer>"))
      #expect(try PropertyListDecoder().decode([String: Demand].self, from: data) == ["value": demand])
    }
  }

  @Test func isEqualToItsCopyAndHashesAlike() {
    #expect(Set([Demand.max(1), .max(1), .unlimited, .unlimited]).count == 2)
  }
}
