import Testing

extension InBrowser {

  @Suite struct Compass {

    @Test func theNeedleFollowsTheSensorUntilTheSensorFails() async throws {
      try await App.run { app, browser in
        try await app.open("compass", in: browser)
        let on = try await browser.find("#on")
        func needle() async throws -> String {
          try await browser.execute("return document.getElementById('needle').style.rotate")
        }

        try await browser.wait(for: "a needle to the north", read: needle) { $0 == "0deg" }
        try await on.click()
        try await browser.wait(for: "a needle that turns", read: needle) { $0 == "21deg" }
        try await browser.keepScreenshot("compass")

        // A magnet makes the sensor fail, and that switches it off.
        try await browser.find("#disturb").click()
        try await browser.wait(for: "The sensor failed: disturbed.", in: "#message")
        try await browser.wait(for: "off", read: { try await on.property("checked", as: Bool.self) }, until: { !$0 })
        let heading = try await browser.find("#heading").text
        #expect(try await !browser.findAll("[data-stage=sensor] .marble-failed").isEmpty)

        // Switched on again, it continues.
        try await on.click()
        try await browser.wait(for: "", in: "#message")
        try await browser.wait(for: "another heading", read: { try await browser.find("#heading").text }) {
          $0 != heading
        }
        try await on.click()
        try await wait(for: "the sensor's end") {
          try await !browser.findAll("[data-stage=sensor] .marble-cancelled").isEmpty
        } until: {
          $0
        }
      }
    }
  }
}
