import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension InBrowser {

  @Suite struct Inspector {

    @Test func listsThePipelinesOfAnotherTabUntilItIsClosed() async throws {
      try await App.run { app, browser in
        let inspector = try await Self.openInspector(app, browser)
        try await browser.wait(for: "Nothing is alive.", in: "#count")

        let other = try await browser.openTab()
        try await app.open("search", in: browser)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")

        try await browser.switchTo(inspector)
        // At first only the named stages are shown. The server's log counts those with a subscription, by other means.
        let stages = try await browser.wait(for: "the stages of the other tab") {
          (try await Self.names(browser), try await app.log.subscriptions)
        } until: {
          $0.0.count == $0.1
        }
        #expect(Set(stages.0).isSubset(of: ["typed", "asked", "request", "people", "count", "portrait"]))
        #expect(Set(stages.0).isSuperset(of: ["typed", "asked"]))

        // All of its pipelines end in a subscriber of the page's or the model's code. The lines are looked up meanwhile.
        try await browser.find("#named").click()
        try await browser.wait(for: "all places") {
          try await browser.execute(
            "return [...document.querySelectorAll('#living tbody tr')].map(row => row.cells[3].textContent)",
            returning: [String].self
          )
        } until: { places in
          Set(places.filter { !$0.isEmpty }.map { $0.prefix { $0 != ":" } }) == ["Page.swift", "PeopleSearch.swift"]
        }

        try await browser.switchTo(other)
        try await browser.closeTab()
        try await browser.switchTo(inspector)
        try await browser.wait(for: "Nothing is alive.", in: "#count")
        #expect(try await browser.findAll("#living tbody tr").isEmpty)
        #expect(try await browser.findAll("#graph .graph-node").isEmpty)
        #expect(try await browser.consoleErrors() == [])
      }
    }

    @Test func aValueLightsUpItsStagesAndTheGraphShowsDemand() async throws {
      try await App.run { app, browser in
        let other = try await browser.tab
        try await app.open("search", in: browser)
        try await browser.find("#text").type("a")
        try await browser.openTab()
        let inspector = try await Self.openInspector(app, browser)
        let typed = "[...document.querySelectorAll('.graph-node')].find(node => node.textContent.startsWith('typed'))"
        try await browser.wait(for: "the stage") {
          try await browser.execute("return \(typed) !== undefined")
        } until: {
          $0
        }
        let id: String = try await browser.execute("return \(typed).dataset.node")
        try await browser.wait(for: "∞", in: "[data-demand='\(id)']")
        let values: String = try await browser.execute(Self.cell(id, 6))

        try await browser.switchTo(other)
        try await browser.find("#text").type("d")
        try await browser.switchTo(inspector)
        try await browser.wait(for: "one more value") {
          try await browser.execute(Self.cell(id, 6), returning: String.self)
        } until: {
          Int($0) == Int(values)! + 1
        }
        try await browser.wait(for: "a light") {
          try await browser.execute("return \(typed).querySelector('rect').dataset.lit ?? ''", returning: String.self)
        } until: {
          Int($0) == Int(values)! + 1
        }
        try await browser.keepScreenshot("inspector", isInstant: true)
      }
    }

    @Test func isUsableWithAThousandSubscriptionsAndLeavesTheServerItsTime() async throws {
      try await App.run { app, browser in
        for _ in 0..<16 {
          try await browser.openTab()
          try await app.open("search", in: browser)
        }
        // The first answer does not wait for the lines of the source.
        let living = app.address.appending(path: "inspector/living")
        func read() async throws -> Duration {
          try await ContinuousClock().measure { _ = try await URLSession.shared.data(from: living) }
        }
        let first = try await read()
        let second = try await read()

        try await browser.openTab()
        _ = try await Self.openInspector(app, browser)
        try await browser.find("#named").click()
        let count = try await browser.wait(for: "a thousand subscriptions", within: .seconds(20)) {
          try await browser.find("#count").text
        } until: {
          Int($0.prefix { $0.isNumber }) ?? 0 >= 1000
        }
        #expect(try await browser.find("#more").isDisplayed)

        // Meanwhile the server answers, and so does the page.
        var slowest = Duration.zero
        for _ in 0..<20 {
          slowest = max(slowest, try await ContinuousClock().measure { _ = try await app.log })
          try await Task.sleep(for: .milliseconds(50))
        }
        let filtering = try await ContinuousClock().measure {
          try await browser.find("#filter").type("portrait")
          try await browser.wait(for: "fewer pipelines", read: { try await browser.find("#count").text }) {
            $0 != count
          }
        }
        print("\(count): first read \(first), second \(second); log within \(slowest); the filter within \(filtering)")
        #expect(first < .seconds(2))
        #expect(slowest < .seconds(1))
        #expect(filtering < .seconds(5))
      }
    }

    @Test func pausesAndFilters() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.openTab()
        let inspector = try await Self.openInspector(app, browser)
        try await browser.wait(for: "stages", read: { try await Self.names(browser) }, until: { $0.contains("typed") })

        try await browser.find("#filter").type("portrai")
        try await browser.wait(for: "a pipeline with a portrait", read: { try await Self.names(browser) }) {
          $0.contains("portrait")
        }
        try await browser.find("#filter").type("-nothing")
        try await browser.wait(for: "No pipeline has this name.", in: "#count")
        try await browser.execute(
          "filter.value = ''; filter.dispatchEvent(new Event('input')); return true"
        )

        let before = try await Self.names(browser)
        try await browser.find("#pause").click()
        try await browser.openTab()
        try await app.open("compass", in: browser)
        try await browser.find("#on").click()
        try await browser.switchTo(inspector)
        // Longer than the script waits between two questions.
        try await Task.sleep(for: .milliseconds(600))
        #expect(try await Self.names(browser) == before)
        try await browser.find("#pause").click()
        try await browser.wait(for: "the compass", read: { try await Self.names(browser) }) { $0.contains("needle") }
      }
    }

    private static func openInspector(_ app: App, _ browser: Browser) async throws -> Browser.Tab {
      try await browser.open(app.address.appending(path: "inspector"))
      return try await browser.tab
    }

    private static func names(_ browser: Browser) async throws -> [String] {
      try await browser.execute(
        "return [...document.querySelectorAll('#living tbody tr')].map(row => row.cells[1].textContent)"
      )
    }

    private static func cell(_ id: String, _ index: Int) -> String {
      "return document.querySelector(`#living [data-id='\(id)']`).cells[\(index)].textContent"
    }
  }
}
