import Foundation

/// Another process, which runs this program with other arguments, or another program.
public final class Copy {

  private let process = Process()

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - program: The path of the program. By default it is this one.
  ///   - arguments: Its arguments.
  ///   - environment: More variables of its environment.
  public init(
    of program: String = "/proc/self/exe",
    _ arguments: [String],
    _ environment: [String: String] = [:]
  ) throws {
    process.executableURL = URL(fileURLWithPath: program).resolvingSymlinksInPath()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
  }

  /// Ends the process without a warning (signal 9), and waits for its end.
  public func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks the process to end (signal 15), and waits for its end.
  ///
  /// - Returns: Its status.
  public func terminate() -> Int32 {
    process.terminate()
    return awaitEnd()
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: Its status.
  public func awaitEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}

/// A file to which several processes append lines.
public struct Log: Sendable {

  private let path: String

  /// Creates a log at a path. The file is made by the first line.
  public init(_ path: String) {
    self.path = path
  }

  /// Appends a line. It is in the file when this call returns, even if the process is killed then.
  public func append(_ line: String) {
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o644)
    defer { close(file) }
    let bytes = Array((line + "\n").utf8)
    _ = write(file, bytes, bytes.count)
  }

  /// All lines.
  public var lines: [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}

/// Prints a line at once, although the output may be a pipe.
public func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Ends the program with a message unless a condition holds.
public func check(_ condition: Bool, _ message: String) {
  guard !condition else { return }
  say("broken: \(message)")
  exit(1)
}
