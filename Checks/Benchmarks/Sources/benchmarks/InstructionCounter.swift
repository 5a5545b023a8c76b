import BenchmarkReports
import BenchmarkSupport
import CCallgrind
import Foundation

/// A counter of instructions, which runs this program again under Valgrind's callgrind.
enum InstructionCounter {

  /// The number of elements in the first run. The second run has twice as many, and the difference belongs to the
  /// elements.
  private static let count = 10_000

  /// The workloads with one thread, whose runs are all alike.
  static let workloads = Workload.allCases.filter { !$0.definition.isConcurrent }

  /// Returns the instructions for an element, of each contestant that has an equivalent.
  static func count(
    _ workloads: [Workload],
    _ contestants: [ContestantName]
  ) throws -> [ContestantName: [Workload: InstructionCount]] {
    guard callgrind_is_supported() else {
      throw InstructionCounterError(
        "built where Valgrind's headers are not: install valgrind, remove .build, try again"
      )
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try runUnderCallgrind(workloads, contestants, profile: folder.appending(path: "profile"))

    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    var profiles: [String: CallgrindProfile] = [:]
    for file in files {
      guard let profile = CallgrindProfile(String(decoding: try Data(contentsOf: file), as: UTF8.self)) else {
        continue
      }
      profiles[profile.name] = profile
    }
    var result: [ContestantName: [Workload: InstructionCount]] = [:]
    for contestant in contestants {
      for workload in workloads where contestant.contestant.work(for: workload) != nil {
        guard let short = profiles[profileName(workload, contestant, count)],
          let long = profiles[profileName(workload, contestant, 2 * count)]
        else { throw InstructionCounterError("callgrind has nothing to say of \(workload.rawValue)") }
        result[contestant, default: [:]][workload] = InstructionCount(
          instructions: Double(long.instructions - short.instructions) / Double(count),
          atomics: Double(long.atomics - short.atomics) / Double(count)
        )
      }
    }
    return result
  }

  private static func runUnderCallgrind(
    _ workloads: [Workload],
    _ contestants: [ContestantName],
    profile: URL
  ) throws {
    guard let program = Bundle.main.executablePath else { throw InstructionCounterError("this program has no path") }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "valgrind", "--tool=callgrind", "--collect-bus=yes", "--quiet", "--callgrind-out-file=\(profile.path)", program,
        "count",
      ]
      + workloads.map(\.rawValue) + contestants.flatMap { ["--contestant", $0.rawValue] }
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_DETERMINISTIC_HASHING": "1"]  // Without this, hashing differs in each run.
    ) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw InstructionCounterError("valgrind failed with status \(process.terminationStatus); is it installed?")
    }
  }

  /// Runs the part of the program that runs under callgrind.
  static func work(_ workloads: [Workload], _ contestants: [ContestantName]) {
    for contestant in contestants {
      for workload in workloads {
        guard let work = contestant.contestant.work(for: workload) else { continue }
        // This run does the work that a process does only once.
        work(count, Checksum())
        for count in [count, 2 * count] {
          let checksum = Checksum()
          callgrind_begin()
          work(count, checksum)
          callgrind_end(profileName(workload, contestant, count))
        }
      }
    }
  }

  private static func profileName(_ workload: Workload, _ contestant: ContestantName, _ count: Int) -> String {
    "\(workload.rawValue) \(contestant.rawValue) \(count)"
  }
}

/// An error that says why instructions cannot be counted.
struct InstructionCounterError: Error, CustomStringConvertible {

  let description: String

  init(_ description: String) {
    self.description = description
  }
}
