import CSandbox
import Scripts

/// What a play of one script, in a process of its own, came to.
struct Play: Equatable {

  enum End: String {
    case ended = "end"
    case trapped = "TRAP"
    case hung = "HANG"
  }

  /// What was written down, then how it ended.
  var lines: [String]
  var end: End
  var violations: [String]

  var trace: [String] { lines + [end.rawValue] }
}

/// Plays scripts one at a time, each in a process of its own: a play may trap or hang.
final class Sandbox {

  private let trace: Trace
  private let violations: Trace
  private let attempt = sharedMemory(size: 8)
  private let isSilent: Bool

  /// How long a play may take, in milliseconds. It takes microseconds, unless it hangs.
  static let patience = 2_000

  init(isSilent: Bool = true) {
    trace = Trace(memory: sharedMemory(size: 1 << 18))
    violations = Trace(memory: sharedMemory(size: 1 << 14))
    self.isSilent = isSilent
  }

  /// Plays a script, once or several times.
  ///
  /// - Parameters:
  ///   - attempts: Numbers of plays, each with other identifiers.
  ///   - goesOn: Whether another attempt is wanted, from the trace of the last and its number.
  func play(
    _ script: Script,
    _ contestant: Contestant,
    attempts: Range<Int> = 0..<1,
    while goesOn: ([String], Int) -> Bool = { _, _ in false }
  ) -> Play {
    let process = sandbox_fork(isSilent)
    if process == 0 {
      for attempt in attempts {
        lastAttempt = attempt
        trace.clear()
        violations.clear()
        contestant.skipIdentifiers(attempt)
        for violation in contestant.play(script, trace) { violations.add(depth: 0, violation) }
        guard goesOn(trace.lines + [Play.End.ended.rawValue], attempt) else { break }
      }
      sandbox_exit()
    }
    let end = end(of: process)
    return Play(lines: trace.lines, end: end, violations: violations.lines)
  }

  /// The number of the last attempt that was begun.
  private(set) var lastAttempt: Int {
    get { attempt.load(as: Int.self) }
    set { attempt.storeBytes(of: newValue, as: Int.self) }
  }

  private func end(of process: Int32) -> Play.End {
    var waited = 0
    while true {
      switch sandbox_poll(process) {
      case sandbox_ended: return .ended
      case sandbox_trapped: return .trapped
      default: break
      }
      guard waited < Self.patience * 10 else {
        sandbox_kill(process)
        return .hung
      }
      waited += 1
      pause(microseconds: 100)
    }
  }
}

/// Memory that all processes of this program share.
func sharedMemory(size: Int) -> UnsafeMutableRawBufferPointer {
  guard let memory = sandbox_shared_memory(size) else { fatalError("no shared memory of \(size) bytes") }
  return UnsafeMutableRawBufferPointer(start: memory, count: size)
}
