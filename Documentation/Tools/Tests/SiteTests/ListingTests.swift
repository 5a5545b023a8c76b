import Listings
import Testing

@Suite struct ListingTests {

  @Test func aListingIsTheTextBetweenTheFences() {
    let text = ["Text", "```swift", "let a = 1", "", "print(a)  // prints 1", "```", "```", "not Swift", "```"]
    let listings = Listing.all(in: text.map { $0[...] }, of: "file.md")
    #expect(listings.map(\.code) == [["let a = 1", "", "print(a)  // prints 1"]])
    #expect(listings.map(\.line) == [3])
    #expect(listings.map(\.output) == [["1"]])
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
