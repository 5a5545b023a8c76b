import Foundation
import Testing

extension InBrowser {

  @Suite(.enabled(if: PagesWithoutServer.isBuilt("search"))) struct SearchWithoutServer {

    @Test func keysAreDebouncedInThePage() async throws {
      try await PagesWithoutServer.serve { address, browser in
        try await browser.open(address.appending(path: "index.html"))
        let field = try await browser.find("#text")
        try await browser.wait(for: "the program", read: { try await field.isEnabled }, until: { $0 })
        for letter in ["d", "e", "b"] { try await field.type(letter) }
        try await browser.wait(for: "search 1: debounce", in: "#found")
        #expect(try await browser.find("#keys").text == "3 keys")
        try await field.type(Key.backspace)
        try await browser.wait(for: "search 2: debounce decode delay", in: "#found")
        #expect(try await browser.consoleErrors() == [])
        try await browser.keepScreenshot("search-without-server", isInstant: true)
      }
    }
  }

  @Suite(.enabled(if: PagesWithoutServer.isBuilt("play"))) struct OperatorsWithoutServer {

    @Test func aDraggedMarbleChangesTheOutputAsTheRunSays() async throws {
      try await PagesWithoutServer.serve { address, browser in
        let start = ContinuousClock.now
        try await browser.open(URL(string: "play.html?op=debounce&a=ab---c----~&for=2", relativeTo: address)!)
        try await Operators.expectOutput("b3 c7 |10", browser)
        // With the start of the page, the loading of the library, and the test's way to the browser.
        #expect(ContinuousClock.now - start < .seconds(8))

        try await browser.drag(try await Operators.marble(1, browser), by: 2 * Operators.stride)
        try await Operators.expectOutput("a2 c7 |10", browser, after: "op=debounce&a=a--b-c----~&for=2")
        try await browser.drag(try await Operators.marble(3, browser), by: -20 * Operators.stride)
        #expect(try await Operators.query(browser) == "op=debounce&a=a--b-(c~)&for=2")
        #expect(try await browser.consoleErrors() == [])
        try await browser.keepScreenshot("operators-without-server", isInstant: true)
      }
    }

    @Test(arguments: [
      ("op=map&a=a---b-~&to=uppercase", 0, 1),
      ("op=combineLatest&a=a-b-~&b=x----~", 1, 1),
      ("op=zip&a=a-b-~&b=x---y-~", 0, 2),
    ])
    func aMovedMarbleIsAnsweredInThePage(_ query: String, _ index: Int, _ strides: Int) async throws {
      try await PagesWithoutServer.serve { address, browser in
        try await browser.open(URL(string: "play.html?\(query)", relativeTo: address)!)
        let first = try await browser.wait(
          for: "an output",
          read: { try await Operators.output(browser) },
          until: { $0 != "" }
        )
        try await browser.drag(try await Operators.marble(index, browser), by: strides * Operators.stride)
        let second = try await browser.wait(
          for: "another output",
          read: { try await Operators.output(browser) },
          until: { $0 != first }
        )
        try await Operators.expectOutput(second, browser)
      }
    }

    @Test func whatCannotBeRunIsSaid() async throws {
      try await PagesWithoutServer.serve { address, browser in
        try await browser.open(URL(string: "play.html?op=nothing", relativeTo: address)!)
        try await browser.wait(for: "There is no operator “nothing”.", in: "#problem")
      }
    }
  }
}
