import Foundation
import Testing

@testable import recipes

extension InBrowser {

  @Suite struct Operators {

    /// The width of a stride in pixels.
    static let stride = 26

    @Test func aDraggedMarbleChangesTheOutputAsTheRunSays() async throws {
      try await App.run { app, browser in
        try await Self.open("op=debounce&a=ab---c----~&for=2", app, browser)
        try await Self.expectOutput("b3 c7 |10", browser)

        // From 1 to 3: now a is followed by nothing for two strides, and is sent. b is not, because c comes first.
        try await browser.drag(try await Self.marble(1, browser), by: 2 * Self.stride)
        try await Self.expectOutput("a2 c7 |10", browser, after: "op=debounce&a=a--b-c----~&for=2")
        try await browser.keepScreenshot("operators", isInstant: true)

        // The end, to the left of which no marble may be.
        try await browser.drag(try await Self.marble(3, browser), by: -20 * Self.stride)
        #expect(try await Self.query(browser) == "op=debounce&a=a--b-(c~)&for=2")
        #expect(try await browser.consoleErrors() == [])
      }
    }

    @Test func marblesAreAddedRenamedMovedAndDeleted() async throws {
      try await App.run { app, browser in
        try await Self.open("op=map&a=a---b-~&to=uppercase", app, browser)
        try await Self.expectOutput("A0 B4 |6", browser)

        // Two strides to the right of a.
        try await browser.click(try await Self.marble(0, browser), x: 2 * Self.stride)
        try await Self.expectOutput("A0 C2 B4 |6", browser, after: "op=map&a=a-c-b-~&to=uppercase")

        // The new marble is selected. Keys rename and move it.
        let added = try await Self.marble(1, browser)
        try await added.click()
        try await added.type("x")
        try await Self.expectOutput("A0 X2 B4 |6", browser)
        try await (try await Self.marble(1, browser)).type(Key.right)
        try await Self.expectOutput("A0 X3 B4 |6", browser)

        try await browser.doubleClick(try await Self.marble(0, browser))
        try await Self.expectOutput("X3 B4 |6", browser)
        let last = try await Self.marble(1, browser)
        try await last.click()
        try await last.type(Key.delete)
        try await Self.expectOutput("X3 |6", browser, after: "op=map&a=---x--~&to=uppercase")
      }
    }

    @Test func parametersAndEndsCanBeSet() async throws {
      try await App.run { app, browser in
        try await Self.open("op=prefix&a=a-b-c-~&count=1", app, browser)
        try await Self.expectOutput("a0 |0", browser)
        let count = try await browser.find("#parameters input")
        try await count.clear()
        try await count.type("2")
        try await Self.expectOutput("a0 b2 |2", browser)

        try await Self.open("op=map&a=a-~&to=uppercase", app, browser)
        try await Self.expectOutput("A0 |2", browser)
        try await browser.execute(
          """
          const control = document.querySelector('#ends select');
          control.value = '#';
          control.dispatchEvent(new Event('input'));
          """
        )
        try await Self.expectOutput("A0 #2", browser, after: "op=map&a=a-*&to=uppercase")
      }
    }

    @Test func aLinkOpensTheSameCaseAndTheTestSaysIt() async throws {
      try await App.run { app, browser in
        try await Self.open("op=map&a=a~&to=uppercase", app, browser)
        try await browser.find("#search").type("combineLatest")
        try await browser.find("#list a[href='?op=combineLatest']").click()
        try await browser.wait(for: "combineLatest", in: "#name")
        try await browser.drag(try await Self.marble(0, browser), by: Self.stride)
        let link = try await browser.url
        let output = try await Self.output(browser)
        let test = try await browser.find("#test").text
        #expect(test.hasPrefix("marbles("))
        #expect(test.contains(".combineLatest("))

        try await browser.openTab()
        try await browser.open(URL(string: link)!)
        try await Self.expectOutput(output, browser)
        #expect(try await browser.find("#test").text == test)
        #expect(try await browser.find("#name").text == "combineLatest")
      }
    }

    @Test func theSearchKnowsWhatPeopleTypeAndLeadsToTheDocumentation() async throws {
      try await App.run { app, browser in
        try await Self.open("op=map", app, browser)
        let field = try await browser.find("#search")
        for (word, name) in [
          ("take", "prefix(_:)"), ("withLatestFrom", "withLatest(of:)"), ("backpressure", "buffer"), ("scan", "scan"),
        ] {
          try await field.clear()
          try await field.type(word)
          try await browser.wait(for: name, in: "#list a")
        }
        try await field.clear()
        try await field.type("nothing")
        try await browser.wait(for: "No operator has this name.", in: "#list p")
        let page: String = try await browser.execute("return document.getElementById('documentation').href")
        #expect(page.hasPrefix("http://127.0.0.1:8000/documentation/combinecore/publisher/map("))
      }
    }

    @Test func aLinkThatMakesNoSenseSaysWhy() async throws {
      try await App.run { app, browser in
        try await browser.open(URL(string: "operators?op=nothing", relativeTo: app.address)!)
        try await browser.wait(for: "There is no operator “nothing”.", in: "#problem")
        try await browser.open(URL(string: "operators?op=map&a=a~b", relativeTo: app.address)!)
        try await browser.wait(for: "line A: nothing can follow its end", in: "#problem")
      }
    }

    // MARK: The page

    private static func open(_ query: String, _ app: App, _ browser: Browser) async throws {
      try await browser.open(URL(string: "operators?\(query)", relativeTo: app.address)!)
    }

    /// An event of the first input.
    static func marble(_ index: Int, _ browser: Browser) async throws -> Element {
      try await browser.find("[data-line='0'][data-index='\(index)']")
    }

    /// The texts and times of the output's marbles.
    static func output(_ browser: Browser) async throws -> String {
      try await browser.execute(
        """
        return [...document.querySelectorAll("[data-line='output']")]
          .map(event => (event.querySelector('text')?.textContent ?? event.dataset.mark) + event.dataset.time).join(' ');
        """
      )
    }

    static func query(_ browser: Browser) async throws -> String {
      try await browser.execute("return location.search.slice(1)")
    }

    /// Waits for an output, and checks that this process's run of the page's address is the same.
    static func expectOutput(_ output: String, _ browser: Browser, after link: String? = nil) async throws {
      try await browser.wait(for: output, read: { try await Self.output(browser) }, until: { $0 == output })
      let query = try await query(browser)
      if let link { #expect(query == link) }
      let items = URLComponents(string: "?\(query)")?.queryItems ?? []
      let run = try OperatorRun(query: items.map { ($0.name, $0.value ?? "") })
      let expected = run.output.map { "\("|#!".contains($0.mark) ? $0.mark : $0.text ?? $0.mark)\(Int($0.time))" }
      #expect(output == expected.joined(separator: " "))
    }
  }
}
