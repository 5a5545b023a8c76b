import CSandbox
import Scripts

/// A campaign that runs many scripts on all cores and collects the findings.
///
/// Each worker is a process that runs one script after the other on both sides and compares the traces. If it dies or
/// hangs, its current script is judged alone, and another worker continues with the next script.
final class Campaign {

  struct Result {
    var count = 0
    var explained: [Int: Int] = [:]

    /// The numbers of the scripts that showed an unexplained difference, or broke a law.
    var findings: [Int] = []
    var trapCount = 0
  }

  private let judge: Judge
  private let generator: Generator

  init(judge: Judge, generator: Generator) {
    self.judge = judge
    self.generator = generator
  }

  /// - Parameters:
  ///   - progress: A closure that is called from time to time with the number of scripts run so far.
  func run(_ numbers: Range<Int>, workers workerCount: Int, progress: (Int) -> Void) -> Result {
    var result = Result()
    // There are more shares than workers, which take one after the other, because entries differ in their cost.
    var shares = stride(from: numbers.lowerBound, to: numbers.upperBound, by: Self.shareSize)
      .map { $0..<min($0 + Self.shareSize, numbers.upperBound) }[...]
    var workers: [Worker] = []
    for _ in 0..<workerCount { workers.append(Worker()) }

    while true {
      var isBusy = false
      for worker in workers {
        if worker.isIdle, let share = shares.popFirst() { start(worker, share) }
        if worker.isIdle { continue }
        isBusy = true
        switch worker.poll() {
        case .working: break
        case .done:
          worker.collect(into: &result)
          progress(result.count)
        case .stopped(let number):
          worker.collect(into: &result)
          result.trapCount += 1
          result.count += 1
          switch judge.judge(generator.script(number)) {
          case .same: break
          case .explained(let index): result.explained[index, default: 0] += 1
          case .different, .unlawful: result.findings.append(number)
          }
          if number + 1 < worker.share.upperBound { start(worker, number + 1..<worker.share.upperBound) }
        }
      }
      guard isBusy else { break }
      pause(microseconds: 200)
    }
    return confirmed(result)
  }

  /// Judges each finding again, in new processes, in which the peer may serve its subscribers in another order.
  private func confirmed(_ result: Result) -> Result {
    var result = result
    result.findings = result.findings.sorted().filter { number in
      switch judge.judge(generator.script(number)) {
      case .different, .unlawful: return true
      case .explained(let index):
        result.explained[index, default: 0] += 1
        return false
      case .same: return false
      }
    }
    return result
  }

  private static let shareSize = 2_000

  private func start(_ worker: Worker, _ share: Range<Int>) {
    worker.start(share) { [judge, generator] number, ours, theirs in
      let script = generator.script(number)
      ours.clear()
      guard judge.ours.play(script, ours).isEmpty else { return .finding }
      guard let peer = judge.peer(for: script.entry) else { return .same }
      let end = [Play.End.ended.rawValue]
      var ourLines: [String]?
      for attempt in 0..<ExplainedDifference.attemptCount(for: script.entry) {
        theirs.clear()
        _ = withBallast(attempt) { peer.play(script, theirs) }
        if attempt == 0, ours.isEqual(to: theirs) { return .same }
        let lines = ourLines ?? ours.lines + end
        ourLines = lines
        switch ExplainedDifference.compare(script, ours: lines, theirs: theirs.lines + end, attempt: attempt) {
        case .same: return .same
        case .explained(let index): return .explained(index)
        case .different: continue
        }
      }
      return .finding
    }
  }
}

/// One worker process at a time, and the memory for its report.
private final class Worker {

  enum Finding {
    case same
    case explained(Int)
    case finding
  }

  enum State {
    case working
    case done

    /// The worker died or hung at this script.
    case stopped(Int)
  }

  private(set) var share = 0..<0
  private var process: Int32?

  /// The current script; the number of scripts run; the number of findings; the findings; the count of each
  /// explanation.
  private let report = sharedMemory(size: 8 * (3 + findingLimit + explanationLimit)).bindMemory(to: Int.self)
  private let ours = Trace(memory: sharedMemory(size: 1 << 18))
  private let theirs = Trace(memory: sharedMemory(size: 1 << 18))

  private static let findingLimit = 4_096
  private static let explanationLimit = 256

  private var lastProgress = -1
  private var standstill = 0

  var isIdle: Bool { process == nil }

  func start(_ share: Range<Int>, play: (Int, Trace, Trace) -> Finding) {
    self.share = share
    report.update(repeating: 0)
    lastProgress = -1
    standstill = 0
    let process = sandbox_fork(true)
    if process == 0 {
      for number in share {
        report[0] = number
        switch play(number, ours, theirs) {
        case .same: break
        case .explained(let index): report[3 + Self.findingLimit + index] += 1
        case .finding:
          if report[2] < Self.findingLimit { report[3 + report[2]] = number }
          report[2] += 1
        }
        report[1] += 1
      }
      sandbox_exit()
    }
    self.process = process
  }

  func poll() -> State {
    guard let process else { return .done }
    switch sandbox_poll(process) {
    case sandbox_ended:
      self.process = nil
      return .done
    case sandbox_trapped:
      self.process = nil
      return .stopped(report[0])
    default:
      standstill = report[1] == lastProgress ? standstill + 1 : 0
      lastProgress = report[1]
      // It is polled every fifth of a millisecond or less often.
      guard standstill > 5 * Sandbox.patience else { return .working }
      sandbox_kill(process)
      self.process = nil
      return .stopped(report[0])
    }
  }

  func collect(into result: inout Campaign.Result) {
    result.count += report[1]
    result.findings += report[3..<3 + min(report[2], Self.findingLimit)]
    for index in 0..<Self.explanationLimit where report[3 + Self.findingLimit + index] > 0 {
      result.explained[index, default: 0] += report[3 + Self.findingLimit + index]
    }
  }
}
