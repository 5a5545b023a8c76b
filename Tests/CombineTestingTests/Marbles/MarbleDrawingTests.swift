import Testing

@testable import CombineTesting

@Suite struct MarbleDrawingTests {

  private func draw(_ texts: String..., times: Range<Int>? = nil) throws -> MarbleDrawing {
    let diagrams = try texts.map { try MarbleDiagram($0, as: .input(0)) }
    let rows = diagrams.map { $0.events.map { ($0.time, $0.mark.character) } }
    return MarbleDrawing(rows, times: times ?? (diagrams.map(\.start).min()!..<diagrams.map(\.end).max()!))
  }

  @Test(arguments: ["", "---", "a--bc----|", "-(ab|)", "(ab)--c", "a(bc)d", "-#"])
  func drawsWhatWasRead(text: String) throws {
    let drawing = try draw(text)
    #expect(drawing.lines == [text])
    #expect(drawing.isToScale)
  }

  @Test func drawsNothingAfterTheEnd() throws {
    #expect(try draw("--|--", "----a").lines == ["--|", "----a"])
    #expect(try draw("--(a#)--", "------a-").lines == ["--(a#)", "------a-"])
  }

  @Test func drawsAllTimes() throws {
    #expect(try draw("a", times: -2..<3).lines == ["--a--"])
    #expect(try draw("---a", times: 1..<2).lines == ["--a"])
  }

  @Test func makesRoomAfterAGroupThatIsTooWide() {
    let drawing = MarbleDrawing([[(0, "a"), (0, "b"), (1, "c")], [(0, "a"), (1, "c"), (3, "d")]], times: 0..<5)
    #expect(drawing.lines == ["(ab)c---", "a   c-d-"])
    #expect(!drawing.isToScale)
    #expect(drawing.columns == [[1, 2, 4], [0, 4, 6]])
  }

  @Test func makesNoRoomWhereNothingFollows() {
    let drawing = MarbleDrawing([[(1, "a"), (1, "b")], [(1, "a"), (2, "c")]], times: 0..<7)
    #expect(drawing.lines == ["-(ab)--", "-ac----"])
    #expect(drawing.isToScale)
    #expect(drawing.columns == [[2, 3], [1, 2]])
  }
}
