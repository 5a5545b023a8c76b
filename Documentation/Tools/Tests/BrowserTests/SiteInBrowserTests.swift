import Foundation
import Site
import Testing

/// The built site in a browser, as a person sees it. `Documentation/site` must have built it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SiteInBrowserTests {

  static let site = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../.build/site").standardizedFileURL

  /// Twenty pages of operators, with the first line of the box in the picture.
  private static let operators = [
    "publisher/map(_:)-7wrpa", "publisher/filter(_:)", "publisher/scan(_:_:)", "publisher/removeduplicates()",
    "publisher/collect(_:)", "publisher/reduce(_:_:)", "publisher/first()", "publisher/prefix(while:)",
    "publisher/drop(untiloutputfrom:)", "publisher/zip(_:)", "publisher/combinelatest(_:)", "publisher/catch(_:)",
    "publisher/retry(_:)", "publisher/debounce(for:scheduler:options:)",
    "publisher/throttle(for:scheduler:latest:)", "publisher/delay(for:tolerance:scheduler:options:)",
    "publisher/timeout(_:scheduler:options:customerror:)", "publisher/share()", "publisher/count()",
    "publisher/buffer(size:prefetch:whenfull:)",
  ].map { "combinecore/\($0)" }

  private static let articles = [
    "gettingstarted", "choosinganoperator", "threadssendableactors", "testing", "comingfromrxswift",
    "differencesfromapplescombine",
  ].map { "combine/\($0)" }

  /// Serves the site, and opens a browser.
  func onSite(_ body: (Browser, URL) async throws -> Void) async throws {
    let server = try SiteServer(folder: Self.site, port: 0)
    let running = Task { try await server.run() }
    defer { running.cancel() }
    let root = URL(string: "http://127.0.0.1:\(try await server.port)/")!
    try await withBrowser(width: 1400, height: 1000) { try await body($0, root) }
  }

  /// Opens a page of the documentation, and waits for its heading.
  func open(_ page: String, of root: URL, in browser: Browser) async throws {
    try await browser.open(root.appending(path: "documentation/\(page)/"))
    try await browser.wait(for: "a heading on \(page)") {
      try await browser.find("h1").text
    } until: {
      !$0.isEmpty
    }
  }

  func expectNoErrors(in browser: Browser, on page: String) async throws {
    let errors = try await browser.consoleErrors()
    #expect(errors == [], "\(page)")
  }

  @Test func theStartPageIsThatOfCombine() async throws {
    try await onSite { browser, root in
      try await browser.open(root)
      try await browser.wait(for: "Combine", in: "h1")
      #expect(try await browser.url.hasSuffix("/documentation/combine/"))
      try await expectNoErrors(in: browser, on: "the start page")
    }
  }

  @Test func articlesOpenWithoutAnError() async throws {
    try await onSite { browser, root in
      for article in Self.articles {
        try await open(article, of: root, in: browser)
        try await expectNoErrors(in: browser, on: article)
      }
    }
  }

  @Test func theTutorialOpensAndShowsItsLastStep() async throws {
    try await onSite { browser, root in
      try await browser.open(root.appending(path: "tutorials/combine/searchasyoutypetutorial/"))
      try await browser.wait(for: "Search as you type", in: "h1")
      try await browser.wait(for: "the recipe among the steps") {
        try await browser.execute("return document.body.textContent", returning: String.self)
      } until: {
        $0.contains("The finished recipe runs the model twice")
      }
      try await expectNoErrors(in: browser, on: "the tutorial")
    }
  }

  @Test func thePageOfAnOperatorShowsItsPicture() async throws {
    try await onSite { browser, root in
      for page in Self.operators {
        try await open(page, of: root, in: browser)
        let picture = try await picture(in: browser, of: page)
        #expect(picture.width > 100 && picture.height > 50, "\(page): \(picture)")
        #expect(picture.isLoaded, "\(page)")
        try await expectNoErrors(in: browser, on: page)
      }
    }
  }

  @Test func marblesStandWhereTheRunPutThem() async throws {
    try await onSite { browser, root in
      for page in Self.operators {
        try await open(page, of: root, in: browser)
        let source = try await picture(in: browser, of: page).source
        let drawn = try await drawnEvents(of: source, in: browser)
        #expect(drawn.count > 2, "\(page)")
        // The picture's text tells the times of the run, in the order of the lines.
        let told = try await browser.execute(
          "return document.querySelector('svg > title').textContent",
          returning: String.self
        )
        let times = told.matches(of: #/ at (-?\d+)/#).compactMap { Int($0.1) }
        #expect(drawn.map(\.time) == times, "\(page): \(told)")
        // One tick is as wide everywhere, completions beside a value aside.
        let values = drawn.filter { $0.isValue }
        let first = try #require(values.first, "\(page)")
        for event in values {
          let expected = first.x + Double(event.time - first.time) * MarblePicture.tick
          #expect(abs(event.x - expected) < 0.6, "\(page): \(event)")
        }
      }
    }
  }

  @Test func inDarkModeThePictureIsTheDarkOne() async throws {
    try await onSite { browser, root in
      let page = Self.operators[13]
      try await browser.prefer(dark: false)
      try await open(page, of: root, in: browser)
      let light = try await picture(in: browser, of: page).source
      try await browser.prefer(dark: true)
      let dark = try await browser.wait(for: "the dark picture") {
        try await picture(in: browser, of: page)
      } until: {
        $0.source.contains("~dark") && $0.isLoaded
      }
      #expect(!light.contains("~dark"))
      #expect(dark.source == light.replacing(".svg", with: "~dark.svg"))
    }
  }

  /// Keeps pictures of pages for the README of Documentation, if the environment names a folder for them.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["SCREENSHOTS"] != nil))
  func picturesForTheReadme() async throws {
    let folder = URL(filePath: try #require(ProcessInfo.processInfo.environment["SCREENSHOTS"]))
    try await onSite { browser, root in
      for (page, name, isDark) in [
        ("combine", "start", false), ("combine/choosinganoperator", "choosing", false),
        ("combinecore/publisher/debounce(for:scheduler:options:)", "debounce", true),
      ] {
        try await browser.prefer(dark: isDark)
        try await open(page, of: root, in: browser)
        if name == "debounce" {
          _ = try await picture(in: browser, of: page)
          try await browser.execute(
            "document.querySelector('img[alt^=\"Marble diagram\"]').scrollIntoView({block: 'center'})"
          )
        }
        try await browser.saveScreenshot(to: folder.appending(path: "\(name).png"))
      }
    }
  }

  // MARK: Pictures

  private struct Picture: Decodable, Sendable {
    let source: String
    let width: Double
    let height: Double
    let isLoaded: Bool
  }

  /// The first marble diagram on the page.
  private func picture(in browser: Browser, of page: String) async throws -> Picture {
    let pictures = try await browser.wait(for: "the picture of \(page)") {
      try await browser.execute(
        """
        return [...document.querySelectorAll('img[alt^="Marble diagram"]')].map(image => {
          const box = image.getBoundingClientRect()
          return {
            source: image.currentSrc, width: box.width, height: box.height,
            isLoaded: image.complete && image.naturalWidth > 0,
          }
        })
        """,
        returning: [Picture].self
      )
    } until: {
      $0.first?.isLoaded == true
    }
    return pictures[0]
  }

  private struct DrawnEvent: Decodable, Sendable {
    let time: Int
    let mark: String
    let x: Double

    var isValue: Bool { mark.first?.isLetter == true || mark.first?.isNumber == true }
  }

  /// Opens a picture alone, and reads where its events are on the screen.
  private func drawnEvents(of source: String, in browser: Browser) async throws -> [DrawnEvent] {
    try await browser.open(try #require(URL(string: source)))
    return try await browser.execute(
      """
      return [...document.querySelectorAll('g.event')].map(event => {
        const box = event.getBoundingClientRect()
        return {time: Number(event.dataset.time), mark: event.dataset.mark, x: box.left + box.width / 2}
      })
      """,
      returning: [DrawnEvent].self
    )
  }
}
