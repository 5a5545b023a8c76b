import BenchmarkReports
import BenchmarkSupport
import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct ReportTests {

  @Test func theMedianIsInTheMiddle() {
    #expect([3.0, 1, 2].median == 2)
    #expect([4.0, 1, 2, 3].median == 2.5)
  }

  @Test func columnsOfATableAreAligned() {
    let table = MarkdownTable(header: ["what", "ns"], rows: [["a", "1.00"], ["bcdef", "100.00"]])
    #expect(
      table.text == """
        | what  |     ns |
        | ----- | -----: |
        | a     |   1.00 |
        | bcdef | 100.00 |
        """
    )
  }

  @Test func aMissingMeasurementIsADash() throws {
    let row = WorkloadRow(workload: .merge, measurements: [.ours: Measurement(rounds: [1])])
    let times = try #require(Report(rounds: 1, workloads: [row]).markdown.split(separator: "\n").dropFirst(2).first)
    let cells = times.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(cells == [Workload.merge.definition.title, "1.00", "–", "–", "–", "–", "–", "–", "–"])
  }

  @Test func everyPartIsFoundByItsName() {
    for part in Part.allCases { #expect(Part(rawValue: part.rawValue) == part) }
    #expect(Set(Part.allCases.map(\.rawValue)).count == Part.allCases.count)
    #expect(Part(rawValue: "nothing") == nil)
  }

  @Test func textBetweenMarkersIsReplaced() throws {
    try withFile { url in
      try "a\n<!-- tables -->\nold\n<!-- end of tables -->\nb\n".write(to: url, atomically: true, encoding: .utf8)
      try MarkedFile(url).replace("tables", with: "new")
      let text = try String(contentsOf: url, encoding: .utf8)
      #expect(text == "a\n<!-- tables -->\n\nnew\n\n<!-- end of tables -->\nb\n")
    }
  }

  @Test func aFileWithoutMarkersIsAnError() throws {
    try withFile { url in
      try "a".write(to: url, atomically: true, encoding: .utf8)
      #expect(throws: (any Error).self) { try MarkedFile(url).replace("tables", with: "new") }
    }
  }

  @Test func aPlotIsWellFormedAndHasAPointForEachMeasurement() throws {
    let points = [1, 10, 100].map { Growth.Point(amount: $0, cost: 2 * Double($0)) }
    let growth = Growth(
      title: "title",
      amount: "amount",
      cost: "cost",
      curves: [.init(name: "ours", points: points)]
    )
    let svg = GrowthPlot([growth, growth]).svg
    let reader = ElementCounter()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = reader
    #expect(parser.parse())
    #expect(reader.counts["circle"] == 6)
    #expect(reader.counts["polyline"] == 2)
  }
}

private final class ElementCounter: NSObject, XMLParserDelegate {

  var counts: [String: Int] = [:]

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) {
    counts[name, default: 0] += 1
  }
}
