import Foundation
import Listings
import Testing

@Suite struct ListingTests {

  @Test func aListingIsTheTextBetweenTheFences() {
    let text = ["Text", "```swift", "let a = 1", "", "print(a)  // prints 1", "```", "```", "not Swift", "```"]
    let listings = Listing.all(in: text.map { $0[...] }, of: "file.md")
    #expect(listings.map(\.code) == [["let a = 1", "", "print(a)  // prints 1"]])
    #expect(listings.map(\.line) == [3])
    #expect(listings.map(\.output) == ["1"])
  }

  @Test func theOutputIsWhatTheRemarksState() {
    func output(_ code: String...) -> String? { Listing(file: "A.swift", line: 1, code: code).output }
    #expect(output("print(1)  // prints 1", "print(2)", "// prints 2, 3") == "1, 2, 3")
    #expect(output("let publisher = Just(2).map { $0 * 10 }  // publishes 20") == "20")
    #expect(output("let publisher = Just(2).ignoreOutput()  // only finishes") == "")
    #expect(output("print(Date())  // the date") == nil)
    #expect(output("marbles {", "}  // prints 1") == nil)
  }

  @Test func aWrongRemarkIsAnError() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
    // The site's build, or the root package's.
    let builds = ["Documentation/.build/debug", ".build/debug"].map {
      root.appending(path: $0).resolvingSymlinksInPath()
    }
    let build = try #require(builds.first { FileManager.default.fileExists(atPath: $0.path) })
    let compiler = ListingCompiler(
      sources: root.appending(path: "Sources"),
      build: build,
      modules: .withoutTraits
    )
    let listings = [
      Listing(
        file: "A.swift",
        line: 1,
        code: ["let publisher = [1, 2].publisher.map { $0 * 10 }  // publishes 10, 20"]
      ),
      Listing(file: "A.swift", line: 2, code: ["let publisher = Just(2).map { $0 * 10 }  // publishes 2"]),
      Listing(file: "A.swift", line: 3, code: ["let publisher = Just(2).ignoreOutput()  // only finishes"]),
      Listing(file: "A.swift", line: 4, code: ["let cancellable = Just(2).sink { print($0) }  // prints 3"]),
    ]
    #expect(
      try compiler.failures(in: listings) == [
        "A.swift:2: error: the listing prints \"20\", not \"2\"",
        "A.swift:4: error: the listing prints \"2\", not \"3\"",
      ]
    )
  }

  @Test func aListingEndsWithItsComment() {
    let listings = Listing.all(in: ["```swift", "let a = 1", nil, "```swift", "let b = 1", "```"], of: "file")
    #expect(listings.map(\.code) == [["let b = 1"]])
  }

  @Test func theFormFollowsFromTheCode() {
    func form(_ code: String...) -> Listing.Form { Listing(file: "", line: 1, code: code).form }
    #expect(form("print(1)") == .function)
    #expect(form("import Testing", "@Test func a() {}") == .tests)
    #expect(form("import PackageDescription", "let package = Package(name: \"A\")") == .manifest)
    #expect(form("@Observable final class A {}") == .declarations)
  }
}
