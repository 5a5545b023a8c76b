import CSandbox
import Scripts

/// The result of a run of one script in a separate process.
struct Play: Equatable {

  enum End: String {
    case ended = "end"
    case trapped = "TRAP"
    case hung = "HANG"
  }

  /// The logged lines, and then the way in which the run ended.
  var lines: [String]
  var end: End
  var violations: [String]

  var trace: [String] { lines + [end.rawValue] }
}

/// A sandbox that runs scripts one at a time, each in a separate process, because a run may trap or hang.
final class Sandbox {

  private let trace: Trace
  private let violations: Trace
  private let attempt = sharedMemory(size: 8)
  private let isSilent: Bool

  /// The maximum time of a run, in milliseconds. A run takes microseconds unless it hangs.
  static let patience = 2_000

  init(isSilent: Bool = true) {
    trace = Trace(memory: sharedMemory(size: 1 << 18))
    violations = Trace(memory: sharedMemory(size: 1 << 14))
    self.isSilent = isSilent
  }

  /// Runs a script, once or several times.
  ///
  /// - Parameters:
  ///   - attempts: The numbers of the runs, which determine the addresses of objects.
  ///   - goesOn: A closure that decides whether to make another attempt, from the last trace and its number.
  func play(
    _ script: Script,
    _ contestant: Contestant,
    attempts: Range<Int> = 0..<1,
    while goesOn: ([String], Int) -> Bool = { _, _ in false }
  ) -> Play {
    let process = sandbox_fork(isSilent)
    if process == 0 {
      lastAttempt = attempts.lowerBound
      if attempts.lowerBound > 0 { warmUp(script, contestant, attempts.lowerBound) }
      for attempt in attempts {
        lastAttempt = attempt
        trace.clear()
        violations.clear()
        let broken = withBallast(attempt) { contestant.play(script, trace) }
        for violation in broken { violations.add(depth: 0, violation) }
        guard goesOn(trace.lines + [Play.End.ended.rawValue], attempt) else { break }
      }
      sandbox_exit()
    }
    let end = end(of: process)
    return Play(lines: trace.lines, end: end, violations: violations.lines)
  }

  /// After a trap, runs an attempt without a trap first, as in a process that continues. This leaves a heap in which
  /// objects get other addresses.
  private func warmUp(_ script: Script, _ contestant: Contestant, _ attempt: Int) {
    var harmless = script
    harmless.manners = .lawful
    for round in 0...attempt % 8 {
      trace.clear()
      _ = withBallast(attempt * 8 + round) { contestant.play(harmless, trace) }
    }
  }

  /// The number of the last attempt that started.
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

/// Returns memory that all processes of this program share.
func sharedMemory(size: Int) -> UnsafeMutableRawBufferPointer {
  guard let memory = sandbox_shared_memory(size) else { fatalError("no shared memory of \(size) bytes") }
  return UnsafeMutableRawBufferPointer(start: memory, count: size)
}
