import BenchmarkReports
import BenchmarkSupport
import Testing

@Suite struct RandomReportTests {

  @Test func theSamePipelinesComeFromTheSameSeed() {
    let some = (0..<50).map { Assembly(seed: 7, number: $0).description }
    #expect(some == (0..<50).map { Assembly(seed: 7, number: $0).description })
    #expect(Set(some).count > 45)
    #expect(some != (0..<50).map { Assembly(seed: 8, number: $0).description })
  }

  @Test func pipelinesHaveThreeToThirtySteps() {
    let lengths = (0..<1000).map { Assembly(seed: 1, number: $0).steps.count }
    #expect(lengths.min() == 3)
    #expect(lengths.max() == 30)
  }

  @Test func noPipelineHasAQueueAndVirtualTime() {
    let steps = (0..<1000).map { Assembly(seed: 1, number: $0).steps }
    #expect(steps.contains { $0.contains(.receiveOnQueue) })
    #expect(!steps.contains { $0.contains(.receiveOnQueue) && $0.contains(.delay) })
  }

  @Test func aRowBelowTheFloorFails() {
    #expect(failures(.measured(ours: 10, openCombine: 9)).count == 1)
    #expect(failures(.measured(ours: 10, openCombine: 10)) == [])
  }

  @Test func aQueuesTimeIsNotOurs() {
    #expect(failures(.measured(ours: 10, openCombine: 5), steps: [.receiveOnQueue]) == [])
  }

  @Test func aTrapOfOursFailsAndOneOfThePeersDoesNot() {
    #expect(failures(.ended(.ours, "trap")).count == 1)
    #expect(failures(.ended(.openCombine, "trap")) == [])
  }

  private func failures(
    _ outcome: RandomReport.Row.Outcome,
    steps: [Assembly.Step] = [.map]
  ) -> [String] {
    let row = RandomReport.Row(number: 0, assembly: Assembly(.sequence, steps, .unlimited), outcome: outcome)
    return RandomReport(rows: [row], floor: 1).failures
  }
}
