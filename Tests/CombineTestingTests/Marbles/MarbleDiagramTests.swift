import Testing

@testable import CombineTesting

@Suite struct MarbleDiagramTests {

  /// Summarizes a diagram, as in `a@0 |@3`.
  private static func summary(of text: String, as role: MarbleDiagram.Role) throws -> String {
    try MarbleDiagram(text, as: role).events.map { "\($0.mark.character)@\($0.time)" }.joined(separator: " ")
  }

  @Test(arguments: [
    ("", ""),
    ("---", ""),
    ("a", "a@0"),
    ("--a", "a@2"),
    ("a--bc----|", "a@0 b@3 c@4 |@9"),
    ("-a-#", "a@1 #@3"),
    ("--|--", "|@2"),
    ("  a - b  |", "a@0 b@2 |@3"),
    ("(a)", "a@0"),
    ("-(ab|)", "a@1 b@1 |@1"),
    ("-( a b )-c", "a@1 b@1 c@6"),
    ("(ab)(cd)", "a@0 b@0 c@4 d@4"),
    ("ab-^-c-|", "a@-3 b@-2 c@2 |@4"),
    ("(ab)^c", "a@-4 b@-4 c@1"),
    ("|^", "|@-1"),
    ("^--a", "a@3"),
    ("1é字Z", "1@0 é@1 字@2 Z@3"),
  ])
  func readsInputs(text: String, events: String) throws {
    #expect(try Self.summary(of: text, as: .input(0)) == events)
  }

  @Test(arguments: [
    ("a-|", "a@0 |@2"),
    ("--!", "!@2"),
    ("^--a!", "a@3 !@4"),
    ("-a!--", "a@1 !@2"),
  ])
  func readsOutputs(text: String, events: String) throws {
    #expect(try Self.summary(of: text, as: .output) == events)
  }

  @Test(arguments: [
    ("", ""),
    ("^--!", "^@0 !@3"),
    ("  ^!", "^@0 !@1"),
    ("--^-(!^)--!", "^@2 !@4 ^@4 !@10"),
  ])
  func readsSubscriptions(text: String, events: String) throws {
    #expect(try Self.summary(of: text, as: .subscriptions(0)) == events)
  }

  @Test(arguments: [
    ("a-b", 0..<3),
    ("", 0..<0),
    ("a--^-b|", -3..<4),
    ("(ab)", 0..<4),
    ("a-  -", 0..<3),
  ])
  func knowsTheTimesThatItDraws(text: String, times: Range<Int>) throws {
    #expect(try MarbleDiagram(text, as: .input(0)).times == times)
  }

  @Test(arguments: [
    ("--*-", MarbleDiagram.Role.input(0), "unknown character '*'", 2),
    ("a\t", .output, "unknown character '\t'", 1),
    ("-(ab", .input(0), "there is no ')' for this '('", 1),
    ("ab)", .output, "there is no '(' for this ')'", 2),
    ("(a(b))", .output, "a group inside a group", 2),
    ("-()", .output, "the group is empty", 2),
    ("(a-b)", .output, "no time passes inside a group", 2),
    ("a|b", .input(0), "nothing can follow '|'", 2),
    ("a#--|", .input(0), "nothing can follow '#'", 4),
    ("(|a)", .output, "nothing can follow '|'", 2),
    ("a!-b", .output, "nothing can follow '!'", 3),
    ("a!-^", .output, "nothing can follow '!'", 3),
    ("^a^", .input(0), "a second '^'", 2),
    ("(^a)", .input(0), "'^' cannot be in a group", 1),
    ("(a!)", .output, "'!' cannot be in a group: it comes before all else that happens at its time", 2),
    ("a-!", .input(0), "'!' cannot be in an input: the output's line says when it is cancelled", 2),
    ("a-^b", .output, "nothing can arrive before the subscription", 0),
    ("^-a", .subscriptions(0), "a line of subscriptions has only '^' and '!'", 2),
    ("^-|", .subscriptions(0), "a line of subscriptions has only '^' and '!'", 2),
    // A space counts as one column, and so does each character as people see it.
    (" é *", .output, "unknown character '*'", 3),
  ])
  func namesTheFaultAndItsPlace(text: String, role: MarbleDiagram.Role, message: String, column: Int) {
    #expect(throws: MarbleDiagram.Fault(message: message, column: column)) {
      try MarbleDiagram(text, as: role)
    }
  }
}
