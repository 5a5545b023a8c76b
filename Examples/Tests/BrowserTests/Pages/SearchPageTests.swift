import Foundation
import Testing

extension InBrowser {

  @Suite struct Search {

    @Test func typingLettersQuicklyMakesOneOrTwoRequests() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.watch("#people")
        let field = try await browser.find("#text")
        try await field.type("he")
        try await field.type("c")
        try await field.type("k")
        try await browser.wait(for: "Erich Hecke", in: "#people")
        try await browser.wait(for: "1 person", in: "#count")
        try await wait(for: "an answer to everything") {
          try await app.log.unanswered
        } until: {
          $0 == 0
        }

        let names = try await app.log.names
        #expect(names.count <= 2)
        #expect(names.last == "heck")
        // The answer for "he", if it was requested, was not shown afterwards, even though it takes longest.
        #expect(try await browser.seen.firstIndex(of: "Erich Hecke") == browser.seen.count - 1)
        try await browser.keepScreenshot("search")
      }
    }

    @Test func aStaleAnswerIsNotShown() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.watch("#people")
        let field = try await browser.find("#text")
        try await field.type("he")
        try await wait(for: "the request") {
          try await app.log.names
        } until: {
          $0 == ["he"]
        }
        #expect(try await browser.find("#busy").isDisplayed)
        try await field.type("ck")
        try await browser.wait(for: "Erich Hecke", in: "#people")
        try await wait(for: "an answer to everything") {
          try await app.log.unanswered
        } until: {
          $0 == 0
        }
        try await browser.wait(for: "quiet", read: { try await browser.find("#busy").isDisplayed }, until: { !$0 })
        #expect(try await app.log.names == ["he", "heck"])
        #expect(try await browser.seen.firstIndex(of: "Erich Hecke") == browser.seen.count - 1)
      }
    }

    @Test func aNameFindsPeopleTheirNumberAndAPortrait() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        let field = try await browser.find("#text")
        try await field.type("he")
        try await browser.wait(for: "4 people", in: "#count")
        #expect(
          try await browser.find("#people").text
            == "Erich Hecke\nHedy Lamarr\nHenrietta Swan Leavitt\nHertha Ayrton"
        )
        try await browser.wait(for: "a portrait that is drawn") {
          try await browser.execute("return document.getElementById('portrait').naturalWidth", returning: Int.self)
        } until: {
          $0 > 0
        }
        #expect(try await browser.find("#portrait").isDisplayed)

        // An unknown name clears all of them.
        try await field.type("x")
        try await browser.wait(for: "No matches.", in: "#message")
        try await browser.wait(for: "", in: "#count")
        try await browser.wait(for: "", in: "#people")
        try await browser.wait(for: "no portrait") {
          try await browser.find("#portrait").isDisplayed
        } until: {
          !$0
        }
      }
    }

    @Test func aServerFailureIsReportedAndTheNextSearchWorks() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.find("#text").type("ada")
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        try await browser.find("#failing").click()
        try await browser.wait(for: "The directory does not answer: status(503).", in: "#message")
        try await browser.wait(for: "", in: "#people")
        try await browser.find("#failing").click()
        try await browser.wait(for: "Ada Lovelace", in: "#people")
        try await browser.wait(for: "", in: "#message")
      }
    }

    @Test func markupIsShownAsText() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        let title = try await browser.title
        try await browser.find("#text").type("bobby")
        let name = "Bobby <b>Tables</b> <script>document.title = \"owned\"</script>"
        try await browser.wait(for: name, in: "#people")
        #expect(try await browser.findAll("#people *").isEmpty)
        let marble = try await browser.find("[data-stage=people] .marble:last-child")
        #expect(try await marble.text == name.prefix(60))

        let field = try await browser.find("#text")
        try await field.clear()
        try await field.type("<img src=x onerror=\"document.title='owned'\">")
        try await browser.wait(for: "No matches.", in: "#message")
        #expect(try await browser.findAll("#page img:not(#portrait)").isEmpty)
        #expect(try await browser.title == title)
      }
    }

    @Test func aVeryLongTextIsNotRequested() async throws {
      try await App.run { app, browser in
        try await app.open("search", in: browser)
        try await browser.execute(
          """
          const field = document.getElementById('text');
          field.value = 'long '.repeat(200000);
          field.dispatchEvent(new Event('input'));
          """
        )
        try await browser.wait(for: "No name is that long.", in: "#message")
        #expect(try await app.log.names.isEmpty)

        let field = try await browser.find("#text")
        try await browser.execute("document.getElementById('text').value = ''")
        try await field.type("grace")
        try await browser.wait(for: "Grace Hopper", in: "#people")
        #expect(try await app.log.names == ["grace"])
      }
    }
  }
}
