import Testing

@testable import CombineTesting

@Suite struct MarbleLettersTests {

  private final class Object {}

  @Test func comparesByEqualityIdentityOrDescription() {
    #expect(areEqual(1, 1))
    #expect(!areEqual(1, 2))
    #expect(areEqual(Int?.none, Int?.none))
    #expect(!areEqual(Int?.none, 1))
    #expect(areEqual(("a", 1), ("a", 1)))
    #expect(!areEqual(("a", 1), ("a", 2)))
    #expect(!areEqual(("1", 1) as (Any, Any), (1, 1) as (Any, Any)))
    #expect(areEqual(1 as Any, 1 as Any))
    #expect(!areEqual(1 as Any, 2 as Any))
    #expect(!areEqual(1 as Any, "1" as Any))
    #expect(areEqual(CancellationError() as any Error, CancellationError() as any Error))
    #expect(!areEqual(CancellationError() as any Error, MarbleError() as any Error))
    let object = Object()
    #expect(areEqual(object, object))
    #expect(!areEqual(object, Object()))
  }

  @Test func aValueIsItsOwnLetterWithoutADictionary() {
    var letters = MarbleLetters<Int>(nil, used: ["1"])
    #expect(letters.matches("1", 1))
    #expect(!letters.matches("1", 11))
    #expect(letters.letter(for: 7) == "7")
    #expect(letters.assigned.isEmpty)
    #expect(letters.description(of: "7") == "7")
  }

  @Test func assignsLettersThatAreFree() {
    var letters = MarbleLetters<Int>(nil, used: ["A", "C"])
    #expect(letters.letter(for: 10) == "B")
    #expect(letters.letter(for: 11) == "D")
    #expect(letters.letter(for: 10) == "B")
    #expect(letters.description(of: "D") == "D = 11")
  }

  @Test func aDictionaryIsReadBothWays() {
    var letters = MarbleLetters(["b": "one", "a": "one", "c": "two"], used: [])
    #expect(letters.matches("b", "one"))
    #expect(!letters.matches("c", "one"))
    #expect(!letters.matches("d", "d"))
    #expect(letters.letter(for: "one") == "a")
    #expect(letters.letter(for: "c") == "A")
    #expect(letters.description(of: "c") == #"c = "two""#)
  }

  @Test func doesNotRunOutOfLetters() {
    var letters = MarbleLetters<Int>(nil, used: [])
    let assigned = (100..<140).map { letters.letter(for: $0) }
    #expect(Set(assigned.prefix(36)).count == 36)
    #expect(assigned.last == "?")
  }
}
