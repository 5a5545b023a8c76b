import Foundation

/// An example in a documentation comment or article: the lines between "```swift" and "```".
struct Example {

  let file: String

  /// The line number of its first line in the file.
  let line: Int

  let code: [String]

  static func all(in folder: URL) throws -> [Example] {
    let folder = folder.resolvingSymlinksInPath()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }
      .filter { ["swift", "md"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
    return try (files ?? []).flatMap { try all(inFile: $0) }
  }

  private static func all(inFile file: URL) throws -> [Example] {
    var examples: [Example] = []
    var current: Example?
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    for (index, line) in lines.enumerated() {
      guard let comment = file.pathExtension == "md" ? line[...] : comment(in: line) else {
        current = nil
        continue
      }
      if let example = current {
        if comment.hasPrefix("```") {
          examples.append(example)
          current = nil
        } else {
          current = Example(file: example.file, line: example.line, code: example.code + [String(comment)])
        }
      } else if comment.hasPrefix("```swift") {
        current = Example(file: file.path, line: index + 2, code: [])
      }
    }
    return examples
  }

  /// The text of a line of a documentation comment.
  private static func comment(in line: String) -> Substring? {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("///") else { return nil }
    return text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)
  }
}
