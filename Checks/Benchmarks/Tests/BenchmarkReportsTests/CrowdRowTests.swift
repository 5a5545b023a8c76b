import BenchmarkReports
import Testing

@Suite struct CrowdRowTests {

  @Test func sixTenthsOfThePeersBytesPass() {
    #expect(failures([row(.ours, bytes: 288), row(.openCombine, bytes: 480)]) == [])
  }

  @Test func moreThanSixTenthsOfThePeersBytesFail() {
    #expect(failures([row(.ours, bytes: 289), row(.openCombine, bytes: 480)]) == [.crowds])
  }

  @Test func uncountedBytesFail() {
    #expect(failures([row(.ours, bytes: nil), row(.openCombine, bytes: 480)]) == [.crowds])
  }

  @Test func linearGrowthPasses() {
    #expect(failures([row(.ours, count: 10_000), row(.ours, count: 100_000)]) == [])
  }

  @Test(
    arguments: [
      \CrowdRow.subscribing, \.cancellingForward, \.cancellingBackward, \.cancellingAtRandom,
    ] as [WritableKeyPath<CrowdRow, Double> & Sendable]
  )
  func quadraticGrowthOfAnyCostFails(_ cost: WritableKeyPath<CrowdRow, Double> & Sendable) {
    var many = row(.ours, count: 100_000)
    many[keyPath: cost] *= 10
    #expect(failures([row(.ours, count: 10_000), many]) == [.crowds])
  }

  @Test func thePeersCostIsNotChecked() {
    var many = row(.openCombine, count: 100_000)
    many.subscribing *= 100
    #expect(failures([row(.openCombine, count: 10_000), many]) == [])
  }

  private func failures(_ rows: [CrowdRow]) -> [Part] {
    Report(rounds: 1, crowds: rows).failures.map(\.part)
  }

  private func row(_ contestant: ContestantName, count: Int = 10_000, bytes: Double? = 200) -> CrowdRow {
    CrowdRow(
      contestant: contestant,
      count: count,
      bytes: bytes,
      subscribing: 100,
      cancellingForward: 100,
      cancellingBackward: 100,
      cancellingAtRandom: 100
    )
  }
}
