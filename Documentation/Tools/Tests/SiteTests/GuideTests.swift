import Foundation
import Testing

@testable import Site

@Suite struct GuideTests {

  private let guide = Guide(
    """
    ## Change each element

    | I want | operator |
    |---|---|
    | another value | [`map`], a property: [`map(\\.property)`][map(.property)] |
    | more | <doc:Demand>, [`….merge()`] ᴱ |

    [`map`]: <doc:/CombineCore/Publisher/map(_:)-7wrpa>
    [map(.property)]: <doc:/CombineCore/Publisher/map(_:)-42joc>
    [`….merge()`]: <doc:/CombineExtras/Swift/Collection/merge()>
    """
  )

  @Test func readsQuestionsAndLinks() throws {
    let section = try #require(guide.sections.first)
    #expect(section.title == "Change each element")
    #expect(section.header == "I want")
    #expect(section.rows.map(\.question) == ["another value", "more"])
    #expect(
      section.rows[0].links.map(\.path) == [
        "/documentation/combinecore/publisher/map(_:)-7wrpa", "/documentation/combinecore/publisher/map(_:)-42joc",
      ]
    )
    #expect(
      section.rows[1].links.map(\.path) == [
        "/documentation/combine/demand", "/documentation/combineextras/swift/collection/merge()",
      ]
    )
  }

  @Test func theTreeAsksAtMostFiveQuestions() throws {
    let file = URL(filePath: #filePath).appending(
      path: "../../../../../Sources/Combine/Combine.docc/ChoosingAnOperator.md"
    )
    let tree = try DecisionTree(Guide(file.standardized))
    #expect((2...5).contains(tree.depth))
  }

  @Test func aTreeOfOtherSectionsIsRefused() {
    #expect(throws: (any Error).self) { try DecisionTree(guide) }
  }
}
