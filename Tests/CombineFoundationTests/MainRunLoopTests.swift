import Foundation
import MainLoops
import TestSupport
import Testing

/// The main run loop's actions in programs that run that loop, and in programs that do not. Each program is a process.
@Suite(.inLongRuns) struct MainRunLoopTests {

  // They run one after the other, because they depend on real time.
  @Test(.serialized, arguments: Program.allCases)
  func actionsRunOnTheLoopOrTheQueue(_ program: Program) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("MainLoops")
    process.arguments = [program.rawValue]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0, "\(text)")
  }
}
