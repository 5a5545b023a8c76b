import BenchmarkReports
import Foundation
import Testing

@Suite struct InstructionCountsTests {

  @Test func aFifthMorePasses() {
    let comparison = compare(now: 120, onRecord: 100)
    #expect(comparison.failures == [])
    #expect(comparison.notes == [])
  }

  @Test func moreThanAFifthMoreFails() {
    let comparison = compare(now: 120.1, onRecord: 100)
    #expect(comparison.failures.count == 1)
    #expect(comparison.failures.first?.hasPrefix("zip: ") == true)
  }

  @Test func progressIsNotedAndPasses() {
    let comparison = compare(now: 79, onRecord: 100)
    #expect(comparison.failures == [])
    #expect(comparison.notes.count == 1)
  }

  @Test func aWorkloadThatIsNotOnRecordFails() {
    let comparison = InstructionComparison(
      InstructionCounts(perElement: ["zip": 100, "merge": 100]),
      onRecord: InstructionCounts(perElement: ["zip": 100])
    )
    #expect(comparison.failures.count == 1)
    #expect(comparison.failures.first?.hasPrefix("merge: ") == true)
  }

  @Test func countsOfAnotherArchitectureAreNotCompared() {
    let comparison = InstructionComparison(
      InstructionCounts(architecture: "here", perElement: ["zip": 1000]),
      onRecord: InstructionCounts(architecture: "there", perElement: ["zip": 100])
    )
    #expect(comparison.failures == [])
    #expect(comparison.notes.count == 1)
  }

  @Test func whatIsPutOnRecordIsRead() throws {
    try withFile { url in
      try InstructionCounts(perElement: ["zip": 99.96, "merge": 12.34]).record(in: url)
      #expect(try InstructionCounts(contentsOf: url).perElement == ["zip": 100, "merge": 12.3])
    }
  }

  @Test func recordingOneWorkloadKeepsTheOthers() throws {
    try withFile { url in
      try InstructionCounts(perElement: ["zip": 100, "merge": 50]).record(in: url)
      try InstructionCounts(perElement: ["merge": 40]).record(in: url)
      #expect(try InstructionCounts(contentsOf: url).perElement == ["zip": 100, "merge": 40])
    }
  }

  @Test func recordingForgetsWorkloadsThatAreGone() throws {
    try withFile { url in
      try InstructionCounts(perElement: ["a workload of old": 100]).record(in: url)
      try InstructionCounts(perElement: ["merge": 40]).record(in: url)
      #expect(try InstructionCounts(contentsOf: url).perElement == ["merge": 40])
    }
  }

  @Test func aProfileTellsWhoAskedForItAndWhatItCounted() throws {
    let text = """
      version: 1
      desc: Timerange: Basic block 1 - 2
      desc: Trigger: Client Request: zip ours 10000
      positions: line
      events: Ir
      summary: 6490123
      """
    let profile = try #require(CallgrindProfile(text))
    #expect(profile.name == "zip ours 10000")
    #expect(profile.instructions == 6_490_123)
  }

  @Test func theProfileOfTheWholeRunIsNone() {
    #expect(CallgrindProfile("desc: Trigger: Program termination\nsummary: 1") == nil)
  }

  private func compare(now: Double, onRecord: Double) -> InstructionComparison {
    InstructionComparison(
      InstructionCounts(perElement: ["zip": now]),
      onRecord: InstructionCounts(perElement: ["zip": onRecord])
    )
  }
}
