import Foundation
import OperatorLoadSupport
import Synchronization

/// Runs every operator under load, and prints the problems:
///
///     OperatorLoads [--subscriptions N] [--rounds N] [--patience SECONDS] [--without-memory] [OPERATOR ...]
///
/// A load that takes longer than the patience, a minute unless it is given, ends the process with the stacks of its
/// threads. With `--without-memory` the resident memory is not looked at, which depends on the machine.
@main enum OperatorLoads {

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let subscriptions = number("--subscriptions", in: &arguments) ?? 20_000
    let rounds = number("--rounds", in: &arguments) ?? 3000
    let patience = number("--patience", in: &arguments) ?? 60
    let limitsMemory = !flag("--without-memory", in: &arguments)
    var held = 0
    let loads = OperatorLoad.all.filter { arguments.isEmpty || arguments.contains($0.description) }
    // Code and types are loaded at their first use, which is not growth.
    for load in loads { _ = load.comeAndGo(subscriptions: 10) + load.subscribeAgainstSend(rounds: 2) }
    for load in loads {
      var faults: [String] = []
      var growths: [Int] = []
      // What is kept grows with every round. What the allocator keeps, after a moment when a thread had to wait, does not.
      repeat {
        let watchdog = Watchdog(load.description, patience: patience)
        let before = residentMegabytes()
        for slowness in Slowness.allCases {
          let count = slowness == .none ? subscriptions : subscriptions / 10
          faults += load.comeAndGo(subscriptions: count, slowness: slowness).map { "\(slowness): \($0)" }
        }
        faults += load.subscribeAgainstSend(rounds: rounds)
        growths.append(limitsMemory ? residentMegabytes() - before : 0)
        watchdog.end()
      } while growths.last! >= 4 && growths.count < 4
      if growths.last! >= 4 { faults.append("memory has grown by \(growths) MB, in as many rounds") }
      if faults.isEmpty { held += 1 } else { report("\(load): \(faults.joined(separator: "; "))") }
    }
    report("operators under load: \(held)/\(loads.count) hold")
    exit(held == loads.count ? 0 : 1)
  }

  /// Prints a line at once. `print` buffers lines if the output is a file, and they are lost if the watchdog ends the
  /// process.
  private static func report(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static func number(_ name: String, in arguments: inout [String]) -> Int? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(index...index + 1) }
    return Int(arguments[index + 1])
  }

  private static func flag(_ name: String, in arguments: inout [String]) -> Bool {
    guard let index = arguments.firstIndex(of: name) else { return false }
    arguments.remove(at: index)
    return true
  }

  /// The resident memory, or zero if the system does not report it.
  private static func residentMegabytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096 / 1_000_000
  }
}

/// Aborts the process unless it is ended in time. The runtime then prints the threads' stacks if it can.
private final class Watchdog: Sendable {

  private let isOver = Atomic<Bool>(false)

  /// - Parameter patience: The maximum time until the end, in seconds.
  init(_ name: String, patience: Int) {
    Thread.detachNewThread { [self] in
      for _ in 0..<patience * 10 {
        if isOver.load(ordering: .relaxed) { return }
        usleep(100_000)
      }
      FileHandle.standardError.write(Data("\(name): not ended after \(patience) s\n".utf8))
      abort()
    }
  }

  func end() {
    isOver.store(true, ordering: .relaxed)
  }
}
