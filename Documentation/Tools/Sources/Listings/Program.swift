import Foundation

/// A program that runs to its end.
public enum Program {

  public struct Result: Sendable {
    public let status: Int32
    public let output: String
    public let errorOutput: String
  }

  /// Runs a program, and waits for its end.
  ///
  /// - Parameter arguments: The name of the program, and its arguments.
  public static func run(_ arguments: [String]) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "Program-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files, because a pipe that nobody reads meanwhile fills up.
    let files = try ["output", "errors"].map { name in
      let file = folder.appending(path: name)
      try Data().write(to: file)
      return file
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { try String(decoding: Data(contentsOf: $0), as: UTF8.self) }
    return Result(status: process.terminationStatus, output: texts[0], errorOutput: texts[1])
  }
}

/// A failure with a message for the person at the terminal.
public struct ToolError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
