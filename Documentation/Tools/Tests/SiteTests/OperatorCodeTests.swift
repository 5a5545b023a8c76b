import Site
import Testing

@Suite struct OperatorCodeTests {

  @Test func inputsAndTheClockHaveNames() {
    let code = OperatorCode.all(in: [
      "marbles {",
      "  \"a--b|\"",
      "  $0[0].debounce(for: 2, scheduler: $0.scheduler)",
      "  \"--a---b|\"",
      "}",
    ])
    #expect(code == [OperatorCode(lines: ["A.debounce(for: 2, scheduler: clock)"])])
  }

  @Test func aColdInputHasANameToo() {
    let code = OperatorCode.all(in: ["marbles {", "  $0.cold(1).retry(2)", "}"])
    #expect(code == [OperatorCode(lines: ["B.retry(2)"])])
  }

  @Test func innerPublishersAreListedBelow() {
    let code = OperatorCode.all(in: [
      "marbles {", "  $0[0, values: [\"x\": $0[1], \"y\": $0.cold(2)]].switchToLatest()", "}",
    ])
    #expect(code == [OperatorCode(lines: ["A.switchToLatest()"], values: "[\"x\": B, \"y\": C]")])
  }

  @Test func linesKeepTheirIndentationBelowEachOther() {
    let code = OperatorCode.all(in: ["marbles {", "  \"a\"", "  $0[0]", "    .first()  // comment", "  \"a\"", "}"])
    #expect(code == [OperatorCode(lines: ["A", "  .first()"])])
  }

  @Test func aListingMayHaveSeveralDiagrams() {
    let diagram = ["marbles(values: [\"a\": 1]) {", "  $0[0].count()", "}"]
    #expect(OperatorCode.all(in: diagram + ["print(1)"] + diagram).map(\.values) == ["[\"a\": 1]", "[\"a\": 1]"])
  }
}
