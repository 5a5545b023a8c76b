/// A place in the source of a program.
public struct SourcePlace: Sendable, Hashable, Codable, CustomStringConvertible {

  /// The path of the file, or its module and name.
  public let file: String

  /// The number of the line, from 1.
  public let line: Int

  /// Creates a place.
  ///
  /// - Parameters:
  ///   - file: The path of the file, or its module and name.
  ///   - line: The number of the line, from 1.
  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// The name of the file without its folders, and the line: `Search.swift:12`.
  public var description: String {
    "\(file.split(separator: "/").last.map(String.init) ?? file):\(line)"
  }
}
