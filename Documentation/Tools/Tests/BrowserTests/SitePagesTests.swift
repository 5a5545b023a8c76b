import Foundation
import Site
import Testing

/// The pages that the site adds to DocC's, and what it adds to those.
extension SiteInBrowserTests {

  /// A name stands there once, however many pages have it, and none is a declaration.
  @Test func theListOfNamesHasEachNameOnceAndAFilter() async throws {
    try await onSite { browser, root in
      try await browser.open(root.appending(path: "a-z/"))
      let names: [String] = try await browser.execute(
        "return [...document.querySelectorAll('.names li')].map(line => line.querySelector('code').textContent)"
      )
      #expect(names.count > 500)
      let plain = names.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
      let declarations = plain.filter {
        $0.contains(" -> ") || $0.hasPrefix("func ") || $0.hasPrefix("let ") || $0.count > 120
      }
      #expect(declarations == [])
      #expect(names.filter { $0 == "a" || $0 == "let a: A" }.count == 1)
      #expect(Set(names).count == names.count)
      // Its thirteen pages are links of one line.
      let places: [String] = try await browser.execute(
        """
        const line = [...document.querySelectorAll(".names li")].find(line => line.querySelector("code").textContent === "a");
        return [...line.querySelectorAll("a")].map(link => link.textContent);
        """
      )
      #expect(places.count > 5 && Set(places).count == places.count, "\(places)")

      let filter = try await browser.find(".site-filter input")
      for (text, name) in [("withlatest", "withLatest(of:)"), ("publishers.merge", "Publishers.Merge")] {
        try await filter.clear()
        try await filter.type(text)
        let shown: [String] = try await browser.execute(
          """
          return [...document.querySelectorAll(".names li")].filter(line => line.checkVisibility())
            .map(line => line.querySelector("code").textContent);
          """
        )
        #expect(shown.contains(name) && shown.count < 40, "\(text): \(shown)")
        let headings: Int = try await browser.execute(
          "return [...document.querySelectorAll('.site-page h2')].filter(heading => heading.checkVisibility()).length"
        )
        #expect(headings <= shown.count)
      }
      try await expectNoErrors(in: browser, on: "a-z")
    }
  }

  /// Every picture of the site is in the gallery, is drawn, and leads to a page.
  @Test func theGalleryShowsAllPictures() async throws {
    let folder = Self.site.appending(path: "images")
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let drawn = Set(
      files.map(\.lastPathComponent).filter {
        $0.hasPrefix("marbles-") && $0.hasSuffix(".svg") && !$0.contains("~dark")
      }
    )
    #expect(drawn.count > 100)
    try await onSite { browser, root in
      try await browser.open(root.appending(path: "pictures/"))
      let shown: [String] = try await browser.execute(
        """
        const images = [...document.querySelectorAll(".gallery img")];
        images.forEach(image => { image.loading = "eager"; });
        await Promise.all(images.map(image => image.decode()));
        return images.filter(image => image.naturalWidth > 100 && image.alt.startsWith("Marble diagram"))
          .map(image => decodeURI(image.currentSrc).split("/").at(-1));
        """
      )
      #expect(Set(shown) == drawn)
      #expect(shown.count == drawn.count)
      let filter = try await browser.find(".site-filter input")
      try await filter.type("debounce")
      try await browser.find(".gallery li:not([hidden]) a").click()
      try await browser.wait(for: "debounce(for:scheduler:options:)", in: "h1")
      try await expectNoErrors(in: browser, on: "pictures")
    }
  }

  @Test func aListingHasAButtonThatCopiesIt() async throws {
    try await onSite { browser, root in
      for page in ["combine/gettingstarted", "combinecore/publisher/debounce(for:scheduler:options:)"] {
        try await open(page, of: root, in: browser)
        let counts: [Int] = try await browser.wait(for: "listings of \(page)") {
          try await browser.execute(
            "return ['.code-listing', '.code-listing .copy-button'].map(parts => document.querySelectorAll(parts).length)",
            returning: [Int].self
          )
        } until: {
          $0[0] > 0
        }
        #expect(counts[0] == counts[1], "\(page): \(counts)")
      }
    }
  }

  /// A list of symbols has names, and no declaration over several lines on a phone.
  @Test func declarationsInListsAreShort() async throws {
    try await onSite { browser, root in
      try await browser.use(Screen(width: 390, height: 844, isDark: false))
      for page in ["combinecore/publisher", "combinecore/publishers", "combineextras/combinecore/publisher"] {
        try await open(page, of: root, in: browser)
        let long: [String] = try await browser.execute(
          """
          const links = [...document.querySelectorAll(".link-block a.link")];
          if (links.length < 20) return ["there are no links"];
          return links.filter(link => link.getBoundingClientRect().height > 5 * parseFloat(getComputedStyle(link).lineHeight))
            .map(link => link.textContent);
          """
        )
        #expect(long == [], "\(page)")
      }
    }
  }

  @Test(arguments: [
    ("flatmap(maxpublishers:_:)-1q9ud", ["concatMap", "flatMapLatest", "exhaustMap", "asyncMap"]),
    ("switchtolatest()-37wus", ["flatMapLatest", "asyncMapLatest", "concatMap", "exhaustMap"]),
    ("retry(_:)", ["retry(policy)", "retryWhen", "catch"]),
    ("share()", ["share(replay:scope:)", "ReplaySubject", "multicast"]),
  ])
  func anOperatorsPageLeadsToWhatPeopleLookForThere(_ page: String, _ names: [String]) async throws {
    try await onSite { browser, root in
      try await open("combinecore/publisher/\(page)", of: root, in: browser)
      let line = "[...document.querySelectorAll('p')].find(line => line.textContent.startsWith('Related: '))"
      try await browser.wait(for: "the line") {
        try await browser.execute("return !!\(line)", returning: Bool.self)
      } until: {
        $0
      }
      let links: [String] = try await browser.execute(
        "return [...\(line).querySelectorAll('a')].map(link => link.textContent)"
      )
      #expect(links == names)
      try await browser.execute("\(line).querySelector('a').click()")
      let name = names[0].prefix { $0 != "(" }
      try await browser.wait(for: "\(name)", read: { try await browser.find("h1").text }) { $0.hasPrefix(name) }
    }
  }

  // MARK: The playground

  /// An operator's page and the case that its link opens.
  private struct Case: Sendable {
    let page: String
    let link: String

    /// What the picture says of its output, such as `a at 2, finish at 9`.
    let output: String
  }

  /// The pages with a picture and a link to the playground.
  private static func cases() throws -> [Case] {
    let data = site.appending(path: "data/documentation").resolvingSymlinksInPath()
    let files =
      FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return try files.filter { $0.pathExtension == "json" }.compactMap { file in
      let page = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
      let references = page?["references"] as? [String: [String: Any]] ?? [:]
      let abstract = page?["abstract"] as? [[String: Any]] ?? []
      let pictures = abstract.compactMap { $0["identifier"] as? String }.filter { $0.hasPrefix("marbles-") }
      guard let link = references.keys.first(where: { $0.contains("/play/?op=") && $0.contains("&code=") }),
        let text = pictures.first.flatMap({ references[$0]?["alt"] as? String }),
        let output = text.firstRange(of: "output: ")
      else { return nil }
      return Case(
        page: String(file.path.dropFirst(data.path.count)),
        link: link,
        output: String(text[output.upperBound...])
      )
    }
    .sorted { $0.page < $1.page }
  }

  /// The times of an output in words, with its completion.
  private static func times(in text: String) -> [String] {
    text.matches(of: /(finish|failure|cancel)? at ([\d.]*\d)/).map { "\($0.1 ?? "") \($0.2)" }
  }

  /// The link "Move these marbles" opens what the picture shows.
  @Test(.enabled(if: hasPlayground, "there was no Swift SDK for WebAssembly when the site was built"))
  func theLinkOfAPictureOpensItsCase() async throws {
    let cases = try Self.cases()
    #expect(cases.count > 70)
    try await onSite { browser, root in
      var others: [String] = []
      for scene in cases {
        try await browser.open(URL(string: scene.link, relativeTo: root)!)
        let spoken = try await browser.wait(for: "the output of \(scene.page)", within: .seconds(5)) {
          try await browser.find("#spoken").text
        } until: {
          $0 != ""
        }
        if try await browser.find("#other-case").isDisplayed {
          others.append(scene.page)
        } else {
          // The picture has a letter for a value that the playground writes out.
          #expect(Self.times(in: spoken) == Self.times(in: scene.output), "\(scene.page): \(spoken), \(scene.output)")
        }
      }
      #expect(others == [])
    }
  }

  @Test(.enabled(if: hasPlayground, "there was no Swift SDK for WebAssembly when the site was built"))
  func theDocumentationOfAnOperatorStandsBesideItsPlayground() async throws {
    try await onSite { browser, root in
      try await browser.open(URL(string: "play/?op=debounce", relativeTo: root)!)
      try await browser.wait(for: "debounce(for:scheduler:options:)", in: ".site-beside h2")
      #expect(try await browser.find(".site-beside").text.contains("Publishes elements only after a pause of dueTime."))
      let boxes: [Double] = try await browser.execute(
        "return ['#page', '.site-beside'].flatMap(part => { const box = document.querySelector(part).getBoundingClientRect();"
          + " return [box.left, box.right, box.top]; })"
      )
      // Beside each other on a wide screen.
      #expect(boxes[1] < boxes[3] && abs(boxes[2] - boxes[5]) < 1, "\(boxes)")
      // Another operator, another page.
      try await browser.find("#search").type("combineLatest")
      try await browser.find("#list a[href='?op=combineLatest']").click()
      try await browser.wait(for: "combineLatest(_:)", in: ".site-beside h2")
      try await browser.find(".site-beside h2 a").click()
      try await browser.wait(for: "combineLatest(_:)", in: "h1")
      try await expectNoErrors(in: browser, on: "play")
    }
  }
}
