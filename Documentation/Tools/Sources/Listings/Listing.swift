import Foundation

/// A listing in a documentation comment or article: the lines between "```swift" and "```".
public struct Listing: Sendable {

  public let file: String

  /// The line number of its first line in the file.
  public let line: Int

  public let code: [String]

  /// Whether it is a whole file, a step of a tutorial.
  private let isStep: Bool

  public init(file: String, line: Int, code: [String], isStep: Bool = false) {
    self.file = file
    self.line = line
    self.code = code
    self.isStep = isStep
  }

  /// How a listing is compiled.
  public enum Form: Sendable {

    /// As the body of a function, because it has statements. Its imports are those of the whole file.
    case function

    /// At the top level of a file: a macro extends one of its types.
    case declarations

    /// At the top level of a file of tests.
    case tests

    /// As a package's manifest.
    case manifest
  }

  public var form: Form {
    if code.contains("import PackageDescription") { return .manifest }
    if code.contains(where: { $0 == "import Testing" || $0 == "import XCTest" }) { return .tests }
    return isStep || code.contains { $0.hasPrefix("@Observable") } ? .declarations : .function
  }

  /// Whether a reader sees the listing without a declaration around it, and copies it as a file.
  public var isShownWhole: Bool { file.hasSuffix(".md") && form != .manifest }

  /// Whether the listing is of a module whose declarations belong to the main actor unless they say otherwise. Its first line
  /// says so, in the words of the package's manifest.
  var isOnMainActor: Bool { code.first == "// swiftSettings: [.defaultIsolation(MainActor.self)]" }

  /// Whether the listing is a marble diagram, which can run as a test.
  public var isDiagram: Bool {
    form == .function && code.contains { $0.hasPrefix("marbles") }
  }

  /// What the listing prints, as its remarks state; `nil` if it has none.
  ///
  /// A remark is `// prints …`, for one line or several with commas between them. Behind a publisher in a constant it is
  /// `// publishes …` or `// only finishes`.
  public var output: String? {
    guard form == .function, !isDiagram else { return nil }
    let remarks = code.compactMap { line in
      line.firstMatch(of: /\/\/ (?:prints|publishes) (.*)/).map { String($0.1) }
        ?? (line.hasSuffix("// only finishes") ? "" : nil)
    }
    return remarks.isEmpty ? nil : remarks.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// The statements that print what the constants publish of which a remark says `// publishes …` or `// only finishes`.
  var printing: [String] {
    code.indices.compactMap { index in
      guard code[index].contains(/\/\/ (publishes|only finishes)/),
        let name = code[...index].reversed().lazy.compactMap({ $0.prefixMatch(of: #/let (\w+) = /#)?.1 }).first
      else { return nil }
      return "_ = \(name).sink(receiveCompletion: { _ in }, receiveValue: { print($0) })"
    }
  }

  /// Returns the listings of all sources and articles in a folder.
  public static func all(in folder: URL) throws -> [Listing] {
    let folder = folder.resolvingSymlinksInPath()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }
      .filter { ["swift", "md"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
    return try (files ?? []).flatMap { file in
      let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      if file.path.contains(".docc/"), file.pathExtension == "swift" {
        return isStep(file) ? [Listing(file: file.path, line: 1, code: lines, isStep: true)] : []
      }
      return all(in: lines.map { file.pathExtension == "md" ? $0[...] : comment(in: $0) }, of: file.path)
    }
  }

  /// Whether a file of a catalog is a step of a tutorial, which has a number. Any other is a copy of an example, which
  /// compiles where it comes from.
  private static func isStep(_ file: URL) -> Bool {
    file.lastPathComponent.contains(/-\d+-/)
  }

  /// Returns the listings of a text. A line that is `nil` belongs to no text, and ends a listing that is open.
  public static func all(in lines: [Substring?], of file: String) -> [Listing] {
    var listings: [Listing] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
      guard let line else {
        start = nil
        continue
      }
      if let first = start {
        guard line.hasPrefix("```") else { continue }
        let code = lines[first..<index].map { String($0 ?? "") }
        listings.append(Listing(file: file, line: first + 1, code: code))
        start = nil
      } else if line.hasPrefix("```swift") {
        start = index + 1
      }
    }
    return listings
  }

  /// The text of a line of a documentation comment.
  private static func comment(in line: String) -> Substring? {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("///") else { return nil }
    return text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)
  }
}
