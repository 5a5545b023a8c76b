import Foundation

/// The lines that the program prints. Those of other threads are appended in the order in which they come.
final class Transcript {

  private let lock = NSLock()
  private var lines: [String] = []

  func append(_ line: String) {
    lock.lock()
    defer { lock.unlock() }
    lines.append(line)
  }

  var count: Int {
    lock.lock()
    defer { lock.unlock() }
    return lines.count
  }

  /// Runs the main run loop until there are `count` lines.
  func wait(for count: Int, in section: String) {
    let end = Date(timeIntervalSinceNow: 30)
    while self.count < count {
      guard Date() < end else {
        Swift.print("\(section): there are \(self.count) lines instead of \(count): \(lines)")
        exit(1)
      }
      _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
  }

  func print(_ section: String, sorted: Bool) {
    lock.lock()
    defer { lock.unlock() }
    for line in sorted ? lines.sorted() : lines { Swift.print("\(section): \(line)") }
    lines = []
  }
}
