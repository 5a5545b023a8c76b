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

  @Test func aFirstAtomicInstructionFails() {
    let comparison = InstructionComparison(
      InstructionCounts(perElement: ["zip": count(100, atomics: 1)]),
      onRecord: InstructionCounts(perElement: ["zip": count(100)])
    )
    #expect(comparison.failures.count == 1)
  }

  @Test func progressIsReportedAndPasses() {
    let comparison = compare(now: 79, onRecord: 100)
    #expect(comparison.failures == [])
    #expect(comparison.notes.count == 1)
  }

  @Test func aWorkloadThatIsNotOnRecordFails() {
    let comparison = InstructionComparison(
      InstructionCounts(perElement: ["zip": count(100), "merge": count(100)]),
      onRecord: InstructionCounts(perElement: ["zip": count(100)])
    )
    #expect(comparison.failures.count == 1)
    #expect(comparison.failures.first?.hasPrefix("merge: ") == true)
  }

  @Test func countsOfAnotherArchitectureAreNotCompared() {
    let comparison = InstructionComparison(
      InstructionCounts(architecture: "here", perElement: ["zip": count(1000)]),
      onRecord: InstructionCounts(architecture: "there", perElement: ["zip": count(100)])
    )
    #expect(comparison.failures == [])
    #expect(comparison.notes.count == 1)
  }

  @Test func recordedCountsAreReadBack() throws {
    try withFile { url in
      try InstructionCounts(perElement: ["zip": count(99.96), "merge": count(12.34)]).record(in: url)
      #expect(try InstructionCounts(contentsOf: url).perElement == ["zip": count(100), "merge": count(12.3)])
    }
  }

  @Test func recordingOneWorkloadKeepsTheOthers() throws {
    try withFile { url in
      try InstructionCounts(perElement: ["zip": count(100), "merge": count(50)]).record(in: url)
      try InstructionCounts(perElement: ["merge": count(40)]).record(in: url)
      #expect(try InstructionCounts(contentsOf: url).perElement == ["zip": count(100), "merge": count(40)])
    }
  }

  @Test func recordingRemovesWorkloadsThatNoLongerExist() throws {
    try withFile { url in
      try InstructionCounts(perElement: ["a workload of old": count(100)]).record(in: url)
      try InstructionCounts(perElement: ["merge": count(40)]).record(in: url)
      #expect(try InstructionCounts(contentsOf: url).perElement == ["merge": count(40)])
    }
  }

  @Test func aProfileHasItsNameAndItsCounts() throws {
    let text = """
      version: 1
      desc: Timerange: Basic block 1 - 2
      desc: Trigger: Client Request: zip ours 10000
      positions: line
      events: Ir Ge
      summary: 6490123 1234
      """
    let profile = try #require(CallgrindProfile(text))
    #expect(profile.name == "zip ours 10000")
    #expect(profile.instructions == 6_490_123)
    #expect(profile.atomics == 1234)
  }

  @Test func aProfileWithoutAtomicsHasNone() throws {
    let profile = try #require(CallgrindProfile("desc: Trigger: Client Request: a\nevents: Ir Ge\nsummary: 64"))
    #expect(profile.atomics == 0)
  }

  @Test func theWholeRunHasNoProfile() {
    #expect(CallgrindProfile("desc: Trigger: Program termination\nevents: Ir Ge\nsummary: 1 1") == nil)
  }

  private func count(_ instructions: Double, atomics: Double = 0) -> InstructionCount {
    InstructionCount(instructions: instructions, atomics: atomics)
  }

  private func compare(now: Double, onRecord: Double) -> InstructionComparison {
    InstructionComparison(
      InstructionCounts(perElement: ["zip": count(now)]),
      onRecord: InstructionCounts(perElement: ["zip": count(onRecord)])
    )
  }
}
