import BenchmarkReports
import BenchmarkSupport
import Testing

@Suite struct JunctionRowTests {

  @Test func fourTenthsOfTheThroughputOfOneThreadPass() {
    #expect(failures([JunctionRow(.merge, .ours, alone: [40], together: [16])]) == [])
  }

  @Test func lessThanFourTenthsOfTheThroughputOfOneThreadFail() {
    #expect(failures([JunctionRow(.merge, .ours, alone: [40], together: [15])]) == [.junction(.merge)])
  }

  @Test func twiceThePeersThroughputPasses() {
    #expect(failures([row(.subject, .ours, 20), row(.subject, .openCombine, 10)]) == [])
  }

  @Test func lessThanTwiceThePeersThroughputFails() {
    #expect(failures([row(.subject, .ours, 19), row(.subject, .openCombine, 10)]) == [.junction(.subject)])
  }

  @Test func aPeerIsComparedAtTheSameJunctionOnly() {
    #expect(failures([row(.merge, .ours, 10), row(.subject, .openCombine, 10)]) == [])
  }

  @Test func theRatioIsThatOfEachRound() {
    let row = JunctionRow(.merge, .ours, alone: [10, 40, 100], together: [10, 40, 100])
    #expect(row.togetherToAlone == 1)
    #expect(row.alone == 40)
  }

  private func failures(_ rows: [JunctionRow]) -> [Part] {
    Report(rounds: 1, junctions: rows).failures.map(\.part)
  }

  private func row(_ junction: Junction, _ contestant: ContestantName, _ throughput: Double) -> JunctionRow {
    JunctionRow(junction, contestant, alone: [throughput], together: [throughput])
  }
}
