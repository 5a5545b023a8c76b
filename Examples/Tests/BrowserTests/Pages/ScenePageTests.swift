import Testing

extension InBrowser {

  @Suite struct Scene {

    private struct Disc: Decodable, Equatable {
      let name: String
      let x: Double
      let y: Double
      let isFollowed: Bool
    }

    /// The discs that the page draws.
    private func discs(_ browser: Browser) async throws -> [Disc] {
      try await browser.execute("return discs")
    }

    /// Clicks at a disc's place on the canvas.
    private func tap(_ name: String, _ browser: Browser) async throws {
      try await browser.execute(
        """
        const disc = discs.find(disc => disc.name === arguments[0]);
        const box = canvas.getBoundingClientRect();
        const at = (value, size, length) => value * length / size;
        canvas.dispatchEvent(new MouseEvent("click", {
          clientX: box.left + canvas.clientLeft + at(disc.x, 600, canvas.clientWidth),
          clientY: box.top + canvas.clientTop + at(disc.y, 360, canvas.clientHeight),
        }));
        """,
        name
      )
    }

    private func isPressed(_ name: String, _ browser: Browser) async throws -> Bool {
      try await browser.find("#follow-\(name)").attribute("aria-pressed") == "true"
    }

    @Test func theEntitiesMoveAndCollideUntilAPause() async throws {
      try await App.run { app, browser in
        try await app.open("scene", in: browser)
        let before = try await browser.wait(for: "discs", read: { try await discs(browser) }, until: { $0.count == 6 })
        try await browser.wait(for: "a log", read: { try await browser.find("#log").text }) {
          $0.contains("DidAddEntity Amber → scene")
        }
        #expect(try await browser.find("#collisions").text == "0")

        let running = try await browser.find("#running")
        try await running.click()
        try await browser.wait(for: "moved discs", read: { try await discs(browser) }) { discs in
          zip(before, discs).allSatisfy { $0 != $1 }
        }
        try await browser.find("#follow-Amber").click()
        try await browser.wait(for: "a collision", read: { try await browser.find("#log").text }) {
          $0.contains(/Began Amber \+ \w+ → Amber, scene/)
        }
        try await browser.wait(for: "a count", read: { try await browser.find("#collisions").text }) { $0 != "0" }
        try await browser.keepScreenshot("scene")

        // A canvas has no text, so what is drawn is read from its pixels: there are discs, and there is room between them.
        let colors: Int = try await browser.execute(
          """
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          const colors = new Set();
          for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colors.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
          return colors.size;
          """
        )
        #expect(colors > 6)

        try await running.click()
        try await Task.sleep(for: .milliseconds(200))  // What was on its way arrives.
        let (paused, log) = (try await discs(browser), try await browser.find("#log").text)
        try await Task.sleep(for: .milliseconds(400))  // A scene that had continued would have run twenty frames.
        #expect(try await discs(browser) == paused)
        #expect(try await browser.find("#log").text == log)
        try await running.click()
        try await browser.wait(for: "moved discs", read: { try await discs(browser) }, until: { $0 != paused })
        #expect(try await browser.consoleErrors() == [])
      }
    }

    @Test func aTapOrAKeyFollowsAnEntity() async throws {
      try await App.run { app, browser in
        try await app.open("scene", in: browser)
        try await browser.wait(for: "discs", read: { try await discs(browser) }, until: { $0.count == 6 })
        try await tap("Violet", browser)
        try await browser.wait(for: "Following Violet.", in: "#message")
        #expect(try await isPressed("Violet", browser))

        try await browser.find("#follow-Olive").type(Key.enter)
        try await browser.wait(for: "Following Olive.", in: "#message")
        try await browser.wait(for: "another disc", read: { try await discs(browser).filter(\.isFollowed).map(\.name) })
        {
          $0 == ["Olive"]
        }
        #expect(try await !isPressed("Violet", browser))
        // The subscription on the first one was cancelled.
        #expect(try await browser.findAll("[data-stage=followed] .marble-cancelled").count == 1)
      }
    }

    @Test func aRemovalEndsTheSubscriptionOnTheEntity() async throws {
      try await App.run { app, browser in
        try await app.open("scene", in: browser)
        let remove = try await browser.find("#remove")
        let add = try await browser.find("#add")
        #expect(try await !remove.isEnabled)
        try await browser.find("#follow-Amber").click()
        try await browser.wait(for: "Following Amber.", in: "#message")
        try await browser.wait(for: "a button that is on", read: { try await remove.isEnabled }, until: { $0 })
        let subscriptions = try await app.log.subscriptions
        try await remove.click()
        try await browser.wait(for: "Amber was removed. The subscription on it has finished.", in: "#message")
        try await browser.wait(for: "five discs", read: { try await discs(browser) }, until: { $0.count == 5 })
        #expect(try await app.log.subscriptions < subscriptions)
        #expect(try await browser.findAll("[data-stage=followed] .marble-finished").count == 1)
        #expect(try await browser.find("#log").text.hasPrefix("0.0 s finished → Amber"))
        try await wait(for: "a button that is off") {
          try await browser.find("#follow-Amber").isEnabled
        } until: {
          !$0
        }
        try await browser.wait(for: "no entity to remove", read: { try await remove.isEnabled }, until: { !$0 })

        // Added again, it is another stay in the scene.
        try await browser.wait(for: "one to add", read: { try await add.isEnabled }, until: { $0 })
        try await add.click()
        try await browser.wait(for: "six discs", read: { try await discs(browser) }, until: { $0.count == 6 })
        #expect(try await !isPressed("Amber", browser))
        try await tap("Amber", browser)
        try await browser.wait(for: "Following Amber.", in: "#message")
      }
    }
  }
}
