import Testing

extension InBrowser {

  @Suite struct Steps {

    static let steps = ["1", "2a", "2b", "2c", "3", "4"]

    /// Returns the state of each step, as the diagram shows it.
    private func states(_ browser: Browser) async throws -> [String] {
      try await browser.execute(
        "return [...document.querySelectorAll('.workflow-step')].map(step => step.dataset.state ?? '')"
      )
    }

    @Test func theStepsLightUpOneAfterTheOther() async throws {
      try await App.run { app, browser in
        try await app.open("steps", in: browser)
        try await browser.find("#start").click()
        for expected in [
          ["running", "", "", "", "", ""],
          ["done", "running", "running", "running", "", ""],
          ["done", "done", "done", "done", "running", ""],
          ["done", "done", "done", "done", "done", "running"],
          ["done", "done", "done", "done", "done", "done"],
        ] {
          try await wait(for: "\(expected)") {
            try await states(browser)
          } until: {
            $0 == expected
          }
          if expected[4] == "running" { try await browser.keepScreenshot("steps", isInstant: true) }
        }
        try await browser.wait(for: "finished: 2a + 2b + 2c, then 3, then 4", in: "#outcome")
        #expect(try await app.log.requests.count == 6)
      }
    }

    @Test func aRestartCancelsTheRunInProgress() async throws {
      try await App.run { app, browser in
        try await app.open("steps", in: browser)
        let start = try await browser.find("#start")
        try await start.click()
        try await wait(for: "the parallel steps") {
          try await states(browser)
        } until: {
          $0[1] == "running"
        }
        try await start.click()
        try await wait(for: "the first step again") {
          try await states(browser)
        } until: {
          $0 == ["running", "", "", "", "", ""]
        }
        try await browser.wait(for: "finished: 2a + 2b + 2c, then 3, then 4", in: "#outcome")
        // The first run did not request the third step from the server.
        let log = try await app.log
        #expect(Self.steps.map { log.hits("/steps/\($0)?") } == [2, 2, 2, 2, 1, 1])
      }
    }

    @Test func aCancelledRunStops() async throws {
      try await App.run { app, browser in
        try await app.open("steps", in: browser)
        try await browser.find("#start").click()
        try await wait(for: "the parallel steps") {
          try await states(browser)
        } until: {
          $0[1] == "running"
        }
        try await browser.find("#cancel").click()
        try await browser.wait(for: "cancelled", in: "#outcome")
        #expect(try await states(browser) == ["done", "", "", "", "", ""])
        #expect(try await app.log.subscriptions == 0)
      }
    }
  }
}
