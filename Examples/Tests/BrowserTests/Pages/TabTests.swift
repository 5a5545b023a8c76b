import Foundation
import Testing

extension InBrowser {

  /// The behaviour that all pages share.
  @Suite struct Tabs {

    static let pages = ["search", "sign-up", "steps", "sharing", "compass", "scene"]

    /// The first source that each page shows.
    private static let models = ["PeopleSearch", "SignUpForm", "Workflow", "Clock", "Compass", "Scene/SceneBoard"]

    @Test func aPageShowsItsSourceAndItsValues() async throws {
      try await App.run { app, browser in
        try await browser.open(app.address)
        let links = try await browser.execute(
          "return [...document.querySelectorAll('nav a')].map(link => link.pathname.slice(1))",
          returning: [String].self
        )
        #expect(links == Self.pages + ["inspector", "operators"])
        for (page, model) in zip(Self.pages, Self.models) {
          try await app.open(page, in: browser)
          let file = URL(filePath: #filePath).appending(path: "../../../../Sources/recipes/Models/\(model).swift")
          #expect(try await browser.find("#sources h2").text == file.lastPathComponent)
          let source: String = try await browser.execute("return document.querySelector('#sources code').textContent")
          #expect(try source == String(contentsOf: file.standardized, encoding: .utf8))
        }

        try await app.open("search", in: browser)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        for (stage, marble) in ["typed": "ada", "asked": "ada", "request": "1", "people": "Ada Lovelace"] {
          try await wait(for: "\(marble) at \(stage)") {
            try await browser.execute(
              "return [...document.querySelectorAll(arguments[0])].map(marble => marble.textContent)",
              "[data-stage=\(stage)] .marble-value",
              returning: [String].self
            )
          } until: {
            $0.last == marble
          }
        }
      }
    }

    @Test func closingATabCancelsItsPipelines() async throws {
      try await App.run { app, browser in
        let first = try await browser.tab
        for page in Self.pages {
          try await browser.openTab()
          try await app.open(page, in: browser)
          try await Self.beginWork(on: page, in: browser)
        }
        try await wait(for: "work on all pages") {
          try await app.log.subscriptions
        } until: {
          $0 > 15
        }
        for tab in try await browser.tabs where tab != first {
          try await browser.switchTo(tab)
          try await browser.closeTab()
        }
        try await app.waitForNoSubscriptions()
      }
    }

    @Test func leavingAPageCancelsItsPipelinesAndTheWayBackStartsThemAnew() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        try await browser.open(app.address.appending(path: "operators"))
        try await app.waitForNoSubscriptions()
        try await browser.execute("history.back()")
        try await browser.wait(for: "the page again") {
          try await browser.execute(
            "return document.title.startsWith('Search') && socket.readyState === WebSocket.OPEN"
          )
        } until: {
          $0
        }
        try await browser.find("#text").type("grace")
        try await browser.wait(for: "Grace Hopper", in: "#people")
      }
    }

    @Test func killingTheBrowserCancelsAllPipelines() async throws {
      try await App.run { app, browser in
        for page in Self.pages {
          try await browser.openTab()
          try await app.open(page, in: browser)
          try await Self.beginWork(on: page, in: browser)
        }
        kill(browser.processID, SIGKILL)
        try await app.waitForNoSubscriptions()

        // The server still runs after that.
        try await withBrowser { other in
          try await app.open("search", in: other)
          try await other.find("#text").type("ada")
          try await other.wait(for: "Ada Lovelace", in: "#people")
        }
        try await app.waitForNoSubscriptions()
      }
    }

    /// Starts work that takes a while.
    private static func beginWork(on page: String, in browser: Browser) async throws {
      switch page {
      case "search": try await browser.find("#text").type("he")
      case "sign-up": try await browser.find("#name").type("ada")
      case "steps": try await browser.find("#start").click()
      case "sharing":
        try await browser.find("#running").click()
        try await browser.find("#prepare").click()
      case "scene":
        try await browser.find("#running").click()
        try await browser.find("#follow-Blue").click()
      default: try await browser.find("#on").click()
      }
    }

    @Test func closingTheSocketDuringAStepCancelsTheWork() async throws {
      try await App.run { app, browser in
        try await app.open("steps", in: browser)
        try await browser.find("#start").click()
        try await wait(for: "the parallel steps") {
          try await app.log.hits("/steps/2a")
        } until: {
          $0 == 1
        }
        try await browser.execute("socket.close()")
        try await app.waitForNoSubscriptions()
        try await browser.wait(for: "the notice") {
          try await browser.find("#disconnected").isDisplayed
        } until: {
          $0
        }
        #expect(try await !browser.find("#start").isEnabled)
        try await wait(for: "an answer to everything") {
          try await app.log.unanswered
        } until: {
          $0 == 0
        }
        #expect(try await app.log.hits("/steps/3") == 0)

        // The reloaded page starts again.
        try await app.open("steps", in: browser)
        try await browser.find("#start").click()
        try await browser.wait(for: "finished: 2a + 2b + 2c, then 3, then 4", in: "#outcome")
      }
    }

    @Test func twoTabsAreIndependent() async throws {
      try await App.run { app, browser in
        let first = try await browser.tab
        try await app.open("search", in: browser)
        let second = try await browser.openTab()
        try await app.open("search", in: browser)
        try await browser.find("#failing").click()
        try await browser.find("#text").type("grace")
        try await browser.wait(for: "The directory does not answer: status(503).", in: "#message")

        try await browser.switchTo(first)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        #expect(try await browser.find("#message").text == "")

        try await browser.switchTo(second)
        #expect(try await browser.find("#people").text == "")
        #expect(try await browser.find("#text").value == "grace")
        try await browser.find("#failing").click()
        try await browser.wait(for: "Grace Hopper", in: "#people")

        // Hits are counted for each tab.
        for tab in [first, second] {
          try await browser.switchTo(tab)
          try await app.open("sharing", in: browser)
          try await browser.find("#ask-once").click()
          try await browser.wait(for: "1", in: "#hits")
        }
      }
    }

    @Test func invalidMessagesAreIgnored() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.execute(
          """
          for (const message of [
            "", "no JSON", "[]", "{}", "null", '{"element": 1}', '{"element": "nobody", "value": "?"}',
            '{"element": "text"}', '{"element": "text", "value": true}', '{"element": "text", "value": {"a": 1}}',
            '{"element": "failing", "value": "yes"}', '{"element": "people", "value": "intruder"}',
            "x".repeat(1000000), new Uint8Array([0, 255, 254]),
          ]) socket.send(message);
          """
        )
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        #expect(try await app.log.names == ["ada"])
        #expect(try await !browser.find("#disconnected").isDisplayed)
      }
    }

    @Test func aPageOfAnotherSiteGetsNoSocket() async throws {
      try await App.run { app, browser in
        try await browser.open(URL(string: "data:text/html,other")!)
        let result: String = try await browser.execute(
          """
          return new Promise(keep => {
            const socket = new WebSocket(arguments[0]);
            socket.onopen = () => keep("open");
            socket.onerror = () => keep("refused");
          });
          """,
          app.address.absoluteString.replacing("http", with: "ws") + "search/socket"
        )
        #expect(result == "refused")
        #expect(try await app.log.tabs == 0)
      }
    }
  }
}
