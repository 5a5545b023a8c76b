import Foundation
import Testing

extension InBrowser {

  /// Tests of the browser driver, on a page without a server.
  @Suite struct WebDriver {

    /// A page that greets the person named in its field, a moment after a click on its button.
    static let page = page(
      """
      <title>Greeter</title>
      <input id="name" placeholder="Your name">
      <button id="greet" disabled onclick="setTimeout(greet, 50)">Greet</button>
      <p class="line">Nobody</p>
      <p class="line" hidden>Hidden</p>
      <script>
        const field = document.getElementById('name')
        const button = document.getElementById('greet')
        field.addEventListener('input', () => button.disabled = field.value == '')
        function greet() {
          const greeting = document.createElement('p')
          greeting.id = 'greeting'
          greeting.textContent = `Hello ${field.value}`
          document.body.append(greeting)
        }
      </script>
      """
    )

    static func page(_ html: String) -> URL {
      URL(string: "data:text/html," + html.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)!
    }

    @Test func typesAndClicksAndReads() async throws {
      try await withBrowser { browser in
        try await browser.open(Self.page)
        #expect(try await browser.title == "Greeter")
        #expect(try await browser.url.hasPrefix("data:text/html"))

        let field = try await browser.find("#name")
        let button = try await browser.find("#greet")
        #expect(try await field.attribute("placeholder") == "Your name")
        #expect(try await field.attribute("maxlength") == nil)
        #expect(try await !button.isEnabled)

        try await field.type("Ada <b>")
        try await field.type(Key.backspace + Key.backspace + Key.backspace + "é")
        #expect(try await field.value == "Ada é")
        try await field.clear()
        #expect(try await field.value.isEmpty)
        try await field.type("Grace")
        #expect(try await button.isEnabled)
        #expect(try await !button.property("disabled", as: Bool.self))

        // The result of the click appears later.
        try await button.click()
        try await browser.wait(for: "Hello Grace", in: "#greeting")

        let lines = try await browser.findAll(".line")
        #expect(lines.count == 2)
        #expect(try await lines[0].text == "Nobody")
        #expect(try await lines[0].isDisplayed)
        #expect(try await !lines[1].isDisplayed)
        #expect(try await browser.findAll(".none").isEmpty)
      }
    }

    @Test func runsScripts() async throws {
      try await withBrowser { browser in
        try await browser.open(Self.page)
        #expect(try await browser.execute("return arguments[0] + arguments[1].length", 40, ["a", "b"]) == 42)
        #expect(try await browser.execute("return null") == String?.none)
        #expect(try await browser.execute("return new Promise(keep => setTimeout(() => keep('kept'), 20))") == "kept")

        let field = try await browser.find("#name")
        try await browser.execute("arguments[0].value = 'set'", field)
        #expect(try await field.value == "set")

        let error = await #expect(throws: WebDriverError.self) { try await browser.execute("throw new Error('oh')") }
        #expect(error?.kind == "javascript error")
      }
    }

    @Test func drivesTwoTabs() async throws {
      try await withBrowser { browser in
        try await browser.open(Self.page("<title>One</title>"))
        let first = try await browser.tab
        let second = try await browser.openTab()
        try await browser.open(Self.page("<title>Two</title>"))
        #expect(try await browser.tab == second)
        #expect(try await Set(browser.tabs) == [first, second])

        try await browser.switchTo(first)
        #expect(try await browser.title == "One")
        try await browser.switchTo(second)
        #expect(try await browser.title == "Two")

        try await browser.closeTab()
        #expect(try await browser.tabs == [first])
        try await browser.switchTo(first)
        #expect(try await browser.title == "One")
      }
    }

    @Test func takesPicturesInPNG() async throws {
      try await withBrowser(width: 640, height: 480) { browser in
        try await browser.open(Self.page)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try await browser.saveScreenshot(to: file)

        // The signature, the length and name of the first chunk, and the width in it.
        let start = try Data(contentsOf: file).prefix(20)
        #expect(start.prefix(8) == Data([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A]))
        #expect(start.dropFirst(12).prefix(4) == Data("IHDR".utf8))
        #expect(start.suffix(4) == Data([0, 0, 0x02, 0x80]))  // 640
      }
    }

    @Test func reportsTheValueThatDidNotAppear() async throws {
      try await withBrowser { browser in
        try await browser.open(Self.page)
        let error = await #expect(throws: WebDriverError.self) { try await browser.find("#greeting") }
        #expect(error?.kind == "no such element")

        let limit = Duration.milliseconds(100)
        let missing = await #expect(throws: WaitedInVain.self) {
          try await browser.wait(for: "Hello", in: "#greeting", within: limit)
        }
        #expect(missing?.seen == "no such element")
        let other = await #expect(throws: WaitedInVain.self) {
          try await browser.wait(for: "Somebody", in: ".line", within: limit)
        }
        #expect(other?.description == "waited 0.1 seconds for “Somebody” in .line; seen at last: Nobody")
      }
    }

    @Test func leavesNoProcessBehind() async throws {
      struct Failure: Error {}
      var browsers: [Browser] = []
      await #expect(throws: Failure.self) {
        try await ChromeDriver.run { driver in
          try await browsers.append(driver.open())
          try await browsers.append(driver.open())
          #expect(browsers.map(\.isRunning) == [true, true])
          throw Failure()
        }
      }
      #expect(browsers.map(\.isRunning) == [false, false])
    }

    /// Cancels the task, as the time limit of a test does.
    @Test func leavesNoProcessBehindWhenItsTaskIsCancelled() async throws {
      let (opened, continuation) = AsyncStream.makeStream(of: Browser.self)
      let task = Task {
        try await withBrowser { browser in
          continuation.yield(browser)
          try await Task.sleep(for: .seconds(3600))
        }
      }
      let browser = try #require(await opened.first { _ in true })
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!browser.isRunning)
    }

    @Test func reportsAProgramThatCannotBeStarted() async throws {
      let log = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).log")
      defer { try? FileManager.default.removeItem(at: log) }
      let process = try OwnedProcess(["no-such-program"], log: log)
      defer { process.end() }
      let error = await #expect(throws: OwnedProcess.Ended.self) { try await process.output(matching: /ready/) }
      #expect(error?.output.contains("no-such-program") == true)
    }
  }
}
