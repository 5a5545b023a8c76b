import Foundation
import Testing

extension InBrowser {

  /// The events below a page, and the source beside it.
  @Suite struct Events {

    @Test func theNewestMarbleHasRoomAndNoneIsOnAnother() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        let text = "ada lovelace"
        for letter in text { try await browser.find("#text").type(String(letter)) }
        try await browser.wait(for: text) {
          try await Self.marbles("typed", browser).last ?? ""
        } until: {
          $0 == text
        }
        // Those before it make way within a fraction of a second.
        try await browser.wait(for: "room") {
          try await browser.execute(
            """
            const strip = document.querySelector("[data-stage=typed] .stages-strip");
            const boxes = [...strip.children].map(marble => marble.getBoundingClientRect());
            const overlaps = boxes.slice(1).filter((box, index) => box.left < boxes[index].right - 1).length;
            const rest = strip.getBoundingClientRect().right - boxes.at(-1).right;
            return overlaps === 0 && rest >= 0 && boxes.at(-1).width > 60;
            """,
            returning: Bool.self
          )
        } until: {
          $0
        }
      }
    }

    @Test func aPauseHoldsTheMarblesAndLosesNone() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.find("#text").type("a")
        try await browser.wait(
          for: "a",
          read: { try await Self.marbles("typed", browser).last ?? "" },
          until: { $0 == "a" }
        )
        try await browser.wait(for: "people", read: { try await browser.find("#count").text }, until: { !$0.isEmpty })
        try await browser.find("#hold").click()
        // A browser pauses an animation with the next frame.
        try await browser.wait(for: "marbles that stand still") {
          try await browser.execute(
            "return stages.getAnimations({ subtree: true }).every(each => each.playState === 'paused' && !each.pending)",
            returning: Bool.self
          )
        } until: {
          $0
        }
        let before = try await Self.marbles("typed", browser)
        let places = try await Self.places(browser)
        try await browser.find("#text").type("da")
        try await browser.wait(for: "held events", read: { try await browser.find("#held").text }) {
          $0.hasSuffix("more")
        }
        try await browser.wait(for: "1 person", in: "#count")
        #expect(try await Self.marbles("typed", browser) == before)
        #expect(try await Self.places(browser) == places)
        try await browser.find("#hold").click()
        try await browser.wait(for: "all of them", read: { try await Self.marbles("typed", browser) }) {
          $0.suffix(2) == ["ad", "ada"]
        }
        #expect(try await browser.find("#held").text == "")
      }
    }

    /// Each name of a stage leads to its line in the source, which is marked, and the line leads back.
    @Test func aStageAndItsLineInTheSourceLeadToEachOther() async throws {
      try await App.run { app, browser in
        for page in Tabs.pages {
          try await app.open(page, in: browser)
          let unlinked: [String] = try await browser.execute(
            """
            return [...document.querySelectorAll(".stages-name")].filter(link => {
              const line = document.getElementById(link.hash.slice(1))?.closest(".source-stage");
              const back = line && document.querySelector(line.querySelector("a").hash);
              if (!line?.textContent.includes(".stage(") || !back) return true;
              link.focus();
              const isMarked = line.hasAttribute("data-marked") && link.parentElement.hasAttribute("data-marked");
              link.blur();
              return !isMarked || line.hasAttribute("data-marked");
            }).map(link => link.textContent);
            """
          )
          #expect(unlinked == [], "\(page)")
          let colors: Int = try await browser.execute(
            """
            return new Set(["keyword", "string", "comment", "type"].map(kind =>
              getComputedStyle(document.querySelector(`#sources .source-${kind}`)).color)).size;
            """
          )
          #expect(colors == 4, "\(page)")
        }
        try await app.open("search", in: browser)
        try await browser.find(".stages-name[href='#source-portrait']").click()
        let top: Double = try await browser.execute(
          "return document.querySelector('.source-stage:has(:target)').getBoundingClientRect().top"
        )
        #expect((0...900).contains(top))
      }
    }

    @Test func theLandingPageSaysWhatThereIsAndLeadsThere() async throws {
      try await App.run { app, browser in
        try await browser.open(app.address)
        let pages: [String] = try await browser.execute(
          """
          return [...document.querySelectorAll(".landing li")].filter(line => line.querySelector("p").textContent.length > 40)
            .map(line => line.querySelector("a").pathname.slice(1));
          """
        )
        #expect(pages == Tabs.pages + ["inspector", "operators"])
        try await browser.find(".landing a[href='/steps']").click()
        try await browser.wait(for: "Sequenced work", in: "h1")
        try await browser.find(".bar-title").click()
        try await browser.wait(for: "Combine, live", in: "h1")
      }
    }

    /// Red is what failed. No control has its color.
    @Test func noButtonHasTheColorOfAFailure() async throws {
      try await App.run { app, browser in
        for page in Tabs.pages {
          try await app.open(page, in: browser)
          let alarming: [String] = try await browser.execute(
            """
            const isRed = color => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number); return r > 150 && r > 1.6 * Math.max(g, b); };
            return [...document.querySelectorAll("button, .bar-links a, input")]
              .filter(part => [getComputedStyle(part).backgroundColor, getComputedStyle(part).color].some(isRed))
              .map(part => part.textContent || part.id);
            """
          )
          #expect(alarming == [], "\(page)")
        }
      }
    }

    /// The texts of the marbles of a stage, the newest one last.
    private static func marbles(_ stage: String, _ browser: Browser) async throws -> [String] {
      try await browser.execute(
        "return [...document.querySelectorAll(arguments[0])].map(marble => marble.textContent)",
        "[data-stage='\(stage)'] .marble-value"
      )
    }

    private static func places(_ browser: Browser) async throws -> [Int] {
      try await browser.execute(
        "return [...document.querySelectorAll('.marble')].map(marble => Math.round(marble.getBoundingClientRect().left))"
      )
    }
  }
}
