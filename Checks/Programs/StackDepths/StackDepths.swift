import Foundation

/// Prints the stack that recursion takes, and reports whether it is too much. It is for release builds, as users have
/// them.
@main
enum StackDepths {

  static func main() {
    var isWithinLimits = true
    func report(_ name: String, _ used: [Int], limit: Int) {
      let isTooMuch = used.contains { $0 > limit }
      if isTooMuch { isWithinLimits = false }
      print("  \(name): \(used)\(isTooMuch ? ", more than \(limit)" : "")")
    }

    print("Bytes of stack for \(Loop.count) values: all requested at once; by what is returned; one by one")
    for loop in Loop.all {
      report(loop.name, Appetite.allCases.map { loop.measure($0) }, limit: Loop.limit)
    }
    print("Bytes of stack for \(Chain.length) erased operators: to the end; cancelled; released unused")
    for chain in Chain.all {
      report(chain.name, Chain.End.allCases.map { chain.measure($0) }, limit: Chain.limit)
    }
    print("Bytes of stack for a subject that feeds itself \(Feedback.rounds) times")
    for feedback in Feedback.all {
      report(feedback.name, [feedback.measure()], limit: feedback.limit)
    }
    if !isWithinLimits { exit(1) }
  }
}
