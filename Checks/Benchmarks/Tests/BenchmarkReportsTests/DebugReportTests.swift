import BenchmarkReports
import BenchmarkSupport
import Testing

@Suite struct DebugReportTests {

  private func report(_ workload: Workload, ours: Double, openCombine: Double?) -> DebugReport {
    var measurements = [ContestantName.ours: Measurement(rounds: [ours])]
    if let openCombine { measurements[.openCombine] = Measurement(rounds: [openCombine]) }
    return DebugReport(rows: [WorkloadRow(workload: workload, measurements: measurements)])
  }

  @Test(arguments: DebugReport.workloads) func aRowAtItsFloorPasses(_ workload: Workload) throws {
    let floor = try #require(workload.debugFloor) * Workload.Floor.guarded
    #expect(report(workload, ours: 100, openCombine: 100.1 * floor).failures.isEmpty)
  }

  @Test(arguments: DebugReport.workloads) func aRowBelowItsFloorFails(_ workload: Workload) throws {
    let floor = try #require(workload.debugFloor) * Workload.Floor.guarded
    let failures = report(workload, ours: 100, openCombine: 99 * floor).failures
    #expect(failures.map(\.part) == [.workload(workload)])
  }

  @Test func aRowThatCouldNotBeMeasuredFails() {
    #expect(report(.zip, ours: .nan, openCombine: 100).failures.count == 1)
    #expect(report(.zip, ours: 100, openCombine: nil).failures.count == 1)
  }

  @Test func theMeanOfFactorsIsGeometric() {
    let rows = report(.zip, ours: 100, openCombine: 50).rows + report(.share, ours: 100, openCombine: 800).rows
    #expect(DebugReport(rows: rows).markdown.hasSuffix("OpenCombine ÷ ours over 2 rows: 2.00."))
    #expect([Double]().geometricMean == nil)
  }
}
