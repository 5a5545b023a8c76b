import Foundation
import Testing

extension InBrowser {

  /// Tests that look at the pages, on six screens.
  @Suite struct Layout {

    static let pages = ["landing"] + Tabs.pages + ["inspector", "operators"]

    @Test(arguments: Screen.all)
    func nothingOverlapsIsCutOffIsNarrowOrFaint(_ screen: Screen) async throws {
      try await App.run { app, browser in
        var bars: [String: [Double]] = [:]
        for page in Self.pages {
          try await browser.use(screen)
          try await Self.arrange(page, app, browser)
          let faults = try await browser.layoutFaults(ignoring: ".skip, .stages-strip")
          #expect(faults == [], "\(page), \(screen)")
          if page == "inspector" { #expect(try await Self.edgesThroughLabels(browser) == [], "\(screen)") }
          bars[page] = try await Self.bar(browser)
          try await Self.keep(page, screen, browser)
          if screen.isPhone { try await Self.expectCompact(page, browser) }
          #expect(try await browser.consoleErrors() == [], "\(page), \(screen)")
        }
        // The bar and each of its links is where it is on the other pages.
        #expect(Set(bars.values).count == 1, "\(screen): \(bars)")
      }
    }

    /// What a page looks like, compared with the picture of the last time.
    @Test(arguments: Screen.all)
    func aPageLooksAsItDidBefore(_ screen: Screen) async throws {
      try await App.run { app, browser in
        // With other fonts, every line is elsewhere, and the pictures say nothing.
        try await app.open("search", in: browser)
        let fonts = try await Self.fonts(browser)
        let record = Self.folder.appending(path: "fonts.txt")
        if Browser.keepsScreenshots {
          try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
          try fonts.write(to: record, atomically: true, encoding: .utf8)
        } else if try String(contentsOf: record, encoding: .utf8) != fonts {
          print("\(screen): the fonts of this machine are not those of the pictures, so these are not compared")
          return
        }
        for page in Self.pages where page != "inspector" {
          try await browser.use(screen)
          try await Self.open(page, app, browser)
          try await Self.quiet(browser)
          let picture = try await browser.picture("webp", height: screen.height)
          let file = Self.folder.appending(path: "\(page)-\(screen).webp")
          if Browser.keepsScreenshots {
            try picture.write(to: file)
          } else {
            let difference = try await browser.difference(picture, Data(contentsOf: file))
            #expect(difference < 0.002, "\(page), \(screen): `Examples/renew-screenshots` renews it if it is right")
          }
        }
      }
    }

    @Test func aKeyboardReachesThePageWithoutTheLinksAndAPhoneOpensThem() async throws {
      try await App.run { app, browser in
        try await browser.use(Screen(width: 390, height: 844, isDark: false))
        try await app.open("steps", in: browser)
        try await browser.find("body").type(Key.tab)
        #expect(try await browser.execute("return document.activeElement.className") == "skip")
        let box: Double = try await browser.execute("return document.activeElement.getBoundingClientRect().top")
        #expect(box >= 0)
        try await browser.find(".skip").type(Key.enter)
        #expect(try await browser.execute("return document.activeElement.id") == "page")

        let link = try await browser.find(".bar-links a[href='/sharing']")
        #expect(try await !link.isDisplayed)
        try await browser.find(".bar-menu").click()
        #expect(try await link.isDisplayed)
        #expect(try await browser.layoutFaults(ignoring: ".skip, main") == [])
        try await link.click()
        try await browser.wait(for: "Timers and sharing", in: "h1")
      }
    }

    // MARK: The pages

    /// The last elements that the server fills on a new page. Before that, lines below them are elsewhere.
    private static let lastShown = ["compass": "#heading", "sharing": "#hits", "scene": "#log"]

    private static func open(_ page: String, _ app: App, _ browser: Browser) async throws {
      if Tabs.pages.contains(page) {
        try await app.open(page, in: browser)
      } else if page == "landing" {
        try await browser.open(app.address)
      } else {
        try await browser.open(app.address.appending(path: page))
      }
      if let last = lastShown[page] {
        try await browser.wait(for: last, read: { try await browser.find(last).text }, until: { !$0.isEmpty })
      }
      if page == "operators" {
        try await browser.wait(for: "a picture", read: { try await browser.findAll("[data-line='output']") }) {
          !$0.isEmpty
        }
      }
    }

    /// Opens a page and brings it into a state in which all of its parts are shown.
    private static func arrange(_ page: String, _ app: App, _ browser: Browser) async throws {
      try await open(page, app, browser)
      switch page {
      case "search":
        try await browser.find("#text").type("he")
        try await browser.wait(for: "people", read: { try await browser.find("#count").text }, until: { !$0.isEmpty })
      case "sign-up":
        try await browser.find("#name").type("ad")
        try await browser.find("#password").type("secret")
        try await browser.find("#repetition").type("other")
        try await browser.wait(for: "Not the same password.", in: "#repetition-message")
      case "steps":
        try await browser.find("#start").click()
        try await browser.wait(for: "finished: 2a + 2b + 2c, then 3, then 4", in: "#outcome")
      case "sharing":
        try await browser.find("#running").click()
        try await browser.find("#ask-each").click()
        try await browser.wait(for: "3", in: "#hits")
      case "compass":
        try await browser.find("#on").click()
        try await browser.find("#disturb").click()
        try await browser.wait(for: "The sensor failed: disturbed.", in: "#message")
      case "scene":
        try await browser.find("#follow-Cyan").click()
        let remove = try await browser.find("#remove")
        try await browser.wait(for: "a button that is on", read: { try await remove.isEnabled }, until: { $0 })
        try await remove.click()
        try await browser.wait(for: "Cyan was removed. The subscription on it has finished.", in: "#message")
        try await browser.find("#follow-Amber").click()
        try await browser.find("#running").click()
        try await browser.wait(for: "a collision", read: { try await browser.find("#message").text }) {
          $0.contains("It met")
        }
        try await browser.find("#running").click()
      case "inspector":
        let inspector = try await browser.tab
        let other = try await browser.openTab()
        try await app.open("search", in: browser)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        try await browser.switchTo(inspector)
        try await browser.wait(for: "rows with their places") {
          try await browser.execute(
            "return [...document.querySelectorAll('#living tbody tr')].filter(row => row.cells[3].textContent).length",
            returning: Int.self
          )
        } until: {
          $0 > 3
        }
        try await browser.find("#pause").click()
        try await browser.switchTo(other)
        try await browser.closeTab()
        try await browser.switchTo(inspector)
      case "landing": break
      default:
        try await browser.wait(for: "a test", read: { try await browser.find("#test").text }, until: { !$0.isEmpty })
      }
    }

    /// The labels and nodes of the inspector's graph through which an edge runs.
    private static func edgesThroughLabels(_ browser: Browser) async throws -> [String] {
      try await browser.execute(
        """
        const boxes = [...document.querySelectorAll("#graph .graph-node rect, #graph text")].map(part => {
          const { x, y, width, height } = part.getBBox();
          // An edge ends at the border of a node. The box of a text has room above and below its letters.
          const margin = part.tagName === "rect" ? 2 : 3;
          const name = part.parentElement.textContent;
          return { name, left: x + 1, right: x + width - 1, top: y + margin, bottom: y + height - margin };
        });
        const paths = [...document.querySelectorAll("#graph [data-edge], #graph .graph-start")];
        if (!paths.length || !boxes.length) return ["there is no graph"];
        const crossed = new Set();
        for (const path of paths) {
          for (let length = 0; length < path.getTotalLength(); length += 2) {
            const { x, y } = path.getPointAtLength(length);
            const box = boxes.find(box => x > box.left && x < box.right && y > box.top && y < box.bottom);
            if (box) crossed.add(box.name);
          }
        }
        return [...crossed];
        """
      )
    }

    /// The places of the bar, its title, and its links or the button for them.
    private static func bar(_ browser: Browser) async throws -> [Double] {
      try await browser.execute(
        """
        return [...document.querySelectorAll(".bar, .bar-title, .bar-menu, .bar-links a")].flatMap(part => {
          const { x, y, width, height } = part.getBoundingClientRect();
          return [x, y, width, height];
        });
        """
      )
    }

    /// On a phone the bar is one line, and the picture of an operator is on the first screen, and whole.
    private static func expectCompact(_ page: String, _ browser: Browser) async throws {
      let bar: Double = try await browser.execute("return document.querySelector('.bar').offsetHeight")
      #expect(bar <= 64)
      guard page == "operators" else { return }
      let top: Double = try await browser.execute(
        "return document.getElementById('picture').getBoundingClientRect().top + scrollY"
      )
      #expect(top < 500)
      let rest: Double = try await browser.execute(
        "return frame.clientWidth - Math.max(...[...picture.children].map(part => part.getBoundingClientRect().right))"
          + " + frame.getBoundingClientRect().left"
      )
      #expect(rest >= 0)
    }

    /// Stops what moves, and hides what differs from one time to the next.
    private static func quiet(_ browser: Browser) async throws {
      try await browser.execute(
        """
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("* { animation: none !important; transition: none !important; caret-color: transparent !important }"
          + ".marble, #sources code { visibility: hidden }");
        document.adoptedStyleSheets = [sheet];
        document.activeElement.blur();
        return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        """
      )
    }

    // MARK: Pictures

    /// The widths of a text in the fonts of the pages.
    private static func fonts(_ browser: Browser) async throws -> String {
      try await browser.execute(
        """
        const context = document.createElement("canvas").getContext("2d");
        return ["16px system-ui", "16px ui-monospace, monospace"].map(font => {
          context.font = font;
          return context.measureText("Combine for every platform").width.toFixed(1);
        }).join(" ") + "\\n";
        """
      )
    }

    private static let folder = Browser.screenshots.appending(path: "layout")

    /// Keeps a picture for people to look at, if `LOOK` names a folder.
    private static func keep(_ page: String, _ screen: Screen, _ browser: Browser) async throws {
      guard let folder = ProcessInfo.processInfo.environment["LOOK"] else { return }
      let file = URL(filePath: folder).appending(path: "\(page)-\(screen).png")
      try await browser.picture("png").write(to: file)
    }
  }
}
