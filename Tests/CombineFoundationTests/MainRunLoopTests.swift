import Foundation
import MainLoops
import Testing

/// The main run loop's work in programs that run that loop, and in those that do not: each program is a process.
@Suite struct MainRunLoopTests {

  // One after the other, as they have real time to keep.
  @Test(.serialized, arguments: Program.allCases)
  func isServedByLoopOrQueue(_ program: Program) throws {
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
