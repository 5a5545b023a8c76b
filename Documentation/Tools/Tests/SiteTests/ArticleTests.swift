import Foundation
import Testing

/// What the articles promise about their own text.
@Suite struct ArticleTests {

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
    .standardizedFileURL

  private static func lines(of path: String) throws -> [String] {
    try String(contentsOf: root.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
  }

  /// DocC resolves the links against the symbol graphs when it builds the site, so here a row needs a link.
  @Test(arguments: ["ComingFromRxSwift", "ComingFromAsyncSequence"])
  func everyRowOfATableOfNamesHasALinkOrSaysNone(_ article: String) throws {
    let lines = try Self.lines(of: "Sources/Combine/Combine.docc/\(article).md")
    var rows = 0
    var isInTable = false
    for line in lines {
      if line.hasPrefix("|"), line.contains("| here |") { isInTable = true }
      if !line.hasPrefix("|") { isInTable = false }
      guard isInTable, !line.contains("| here |"), !line.hasPrefix("|---") else { continue }
      let cells = line.replacing("\\|", with: " ").split(separator: "|", omittingEmptySubsequences: false)
      let here = cells[2].trimmingCharacters(in: .whitespaces)
      #expect(here.contains("``/Combine") || here == "none", "\(line)")
      rows += 1
    }
    if article == "ComingFromRxSwift" { #expect(rows > 100) }
  }

  @Test func theTutorialEndsWithTheRecipesFile() throws {
    let recipe = "Examples/Sources/recipes/Recipes/SearchAsYouType.swift"
    let step = "Sources/Combine/Combine.docc/Tutorials/Resources/SearchAsYouType.swift"
    #expect(try Self.lines(of: step) == Self.lines(of: recipe))
  }

  @Test func theReadmeFitsOnTwoScreens() throws {
    #expect(try Self.lines(of: "README.md").count <= 120)
  }
}
