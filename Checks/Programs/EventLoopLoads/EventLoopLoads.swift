#if NIO
  import CombineNIO
  import Foundation
  import NIOCore

  /// Measures event loops as schedulers, and channels as publishers, and reports what is worse than it must be. It is for
  /// release builds, as users have them:
  ///
  ///     swift run -c release --traits NIO EventLoopLoads [schedulers] [inbound] [echo] [lines]
  @main enum EventLoopLoads {

    static func main() throws {
      let report = Report()
      let parts: [(name: String, run: (Report) throws -> Void)] = [
        ("schedulers", SchedulerLoads.run), ("inbound", InboundLoads.run), ("echo", EchoLoads.run),
        ("lines", LineLoads.run),
      ]
      let names = CommandLine.arguments.dropFirst()
      for part in parts where names.isEmpty || names.contains(part.name) { try part.run(report) }
      report.line(report.faults.isEmpty ? "all floors hold" : "broken: \(report.faults.joined(separator: "; "))")
      exit(report.faults.isEmpty ? 0 : 1)
    }
  }

  /// What was measured, and what was worse than it must be.
  final class Report {

    private(set) var faults: [String] = []

    /// Prints a line at once.
    func line(_ text: String) {
      FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    func check(_ holds: Bool, _ fault: @autoclosure () -> String) {
      if !holds { faults.append(fault()) }
    }
  }

  /// Runs a closure, and returns how many seconds that took.
  func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = NIODeadline.now()
    try body()
    return Double((NIODeadline.now() - start).nanoseconds) / 1e9
  }

  func rounded(_ number: Double, _ digits: Int = 2) -> String {
    String(format: "%.\(digits)f", number)
  }

  /// The resident memory in bytes, or zero if the system does not report it.
  func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
#else
  @main enum EventLoopLoads {

    static func main() {
      print("EventLoopLoads: enable the trait NIO of swift-combine: swift run -c release --traits NIO EventLoopLoads")
    }
  }
#endif
