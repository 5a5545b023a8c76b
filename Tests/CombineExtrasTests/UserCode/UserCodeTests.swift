import CombineExtras
import Foundation
import Testing

/// Code of a user is called with no lock held, and may use the pipeline that calls it.
///
/// Each kind of code runs in a process of its own, because a lock that is taken twice ends the process.
struct UserCodeTests {

  #if compiler(>=6.3)  // The capture list of an exit test.
    @Test(arguments: UserCode.allCases)
    func mayUseThePipelineThatCallsIt(_ code: UserCode) async throws {
      let log = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).log").path
      defer { try? FileManager.default.removeItem(atPath: log) }
      let result = await #expect(processExitsWith: .success) { [code, log = log as String] in
        exit(UserCodeLog(log).run(code, PoisonedOperator.all))
      }
      if result == nil { Issue.record("\(try String(contentsOfFile: log, encoding: .utf8))") }
    }
  #endif
}

/// A file in which a process says what it has found, and with which row it has ended.
private struct UserCodeLog {

  private let file: UnsafeMutablePointer<FILE>

  init(_ path: String) {
    file = fopen(path, "w")!
  }

  /// Runs each operator while one kind of user code uses the pipeline.
  ///
  /// - Returns: The status of the process.
  func run(_ code: UserCode, _ operators: [PoisonedOperator]) -> Int32 {
    // A row that hangs ends the process, too.
    alarm(300)
    Intrusion.watchLocks()
    Intrusion.code = code
    for row in operators {
      Intrusion.row = row.name
      for act in IntrusionAct.allCases {
        show("\(row.name), \(code.rawValue) that can \(act)")
        for isLimited in [false, true] {
          for end in [.finished, .failure(PoisonedError()), nil] as [Subscribers.Completion<PoisonedError>?] {
            row.run(act, isLimited: isLimited, end: end)
          }
        }
      }
    }
    show(Intrusion.faults.sorted().map { "called with a lock held by \($0)" }.joined(separator: "\n"))
    return Intrusion.faults.isEmpty && Intrusion.actCount > 0 ? 0 : 1
  }

  /// Replaces the text of the file.
  private func show(_ text: String) {
    rewind(file)
    ftruncate(fileno(file), 0)
    fputs(text, file)
    fflush(file)
  }
}
