import Testing

extension InBrowser {

  @Suite struct Sharing {

    @Test func theClockRunsWhileItIsOn() async throws {
      try await App.run { app, browser in
        try await app.open("sharing", in: browser)
        try await browser.wait(for: "0:00.0", in: "#time")
        #expect(try await app.log.subscriptions == 0)
        let running = try await browser.find("#running")
        try await running.click()
        try await browser.wait(for: "ticks", read: { try await browser.find("#time").text }, until: { $0 > "0:00.3" })
        #expect(try await app.log.subscriptions == 1)

        try await running.click()
        try await wait(for: "the timer's end") {
          try await app.log.subscriptions
        } until: {
          $0 == 0
        }
        let time = try await browser.find("#time").text
        try await Task.sleep(for: .milliseconds(300))  // A clock that had continued would have ticked three times.
        #expect(try await browser.find("#time").text == time)
      }
    }

    @Test func theServerCountsTheRequestsOfThreeSubscribers() async throws {
      try await App.run { app, browser in
        try await app.open("sharing", in: browser)
        func answers() async throws -> [String] {
          try await browser.execute("return [1, 2, 3].map(n => document.getElementById(`subscriber-${n}`).textContent)")
        }

        try await browser.find("#running").click()
        try await browser.find("#ask-each").click()
        try await browser.wait(for: "three hits", read: answers) {
          $0.sorted() == ["answer 1", "answer 2", "answer 3"]
        }
        try await browser.wait(for: "3", in: "#hits")

        try await browser.find("#ask-once").click()
        try await browser.wait(for: "one more hit", read: answers) { $0 == ["answer 4", "answer 4", "answer 4"] }
        try await browser.wait(for: "4", in: "#hits")

        // Sharing starts when the button is clicked.
        let connect = try await browser.find("#connect")
        #expect(try await !connect.isEnabled)
        try await browser.find("#prepare").click()
        try await browser.wait(for: "a button to press", read: { try await connect.isEnabled }, until: \.self)
        try await browser.wait(for: "subscribers that wait", read: answers) { $0 == ["…", "…", "…"] }
        #expect(try await app.log.requests.count == 4)
        try await connect.click()
        try await browser.wait(for: "one more hit", read: answers) { $0 == ["answer 5", "answer 5", "answer 5"] }
        try await browser.wait(for: "5", in: "#hits")
        #expect(try await app.log.requests.count == 5)
        try await browser.keepScreenshot("sharing")
      }
    }
  }
}
