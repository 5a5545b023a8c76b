import Foundation
import Site
import Testing

extension SiteInBrowserTests {

  /// The start page, a guide, three operators, the index, the list and the decision tree.
  private static let looked = [
    ("start", "documentation/combine/"), ("guide", "documentation/combine/sharingwork/"),
    ("debounce", "documentation/combinecore/publisher/debounce(for:scheduler:options:)/"),
    ("combinelatest", "documentation/combinecore/publisher/combinelatest(_:)/"),
    ("flatmap", "documentation/combinecore/publisher/flatmap(maxpublishers:_:)-1q9ud/"),
    ("modules", "documentation/"), ("choose", "choose/"), ("a-z", "a-z/"), ("pictures", "pictures/"),
  ]

  /// What the bar adds. DocC's own pages are examined below it only for what the site changes.
  @Test(arguments: Screen.all)
  func theBarIsTheSameOnAllPagesAndNothingOverlapsItsParts(_ screen: Screen) async throws {
    try await onSite { browser, root in
      try await browser.use(screen)
      var bars: [String: [Double]] = [:]
      for (name, path) in Self.looked {
        try await browser.open(URL(string: path, relativeTo: root)!)
        try await browser.wait(for: "a heading on \(name)") {
          try await browser.findAll("h1").count
        } until: {
          $0 > 0
        }
        if name == "choose" {
          try await browser.execute("document.querySelectorAll('details').forEach(part => part.open = true)")
        }
        try await keep(name, screen, browser)
        let isOurs = ["choose", "a-z", "pictures"].contains(name)
        let faults = try await browser.layoutFaults(ignoring: isOurs ? ".site-skip" : ".site-skip, #app")
        #expect(faults == [], "\(name), \(screen)")
        bars[name] = try await browser.execute(
          """
          return [...document.querySelectorAll(".site-bar, .site-home, .site-links a, .site-search")].flatMap(part => {
            const { x, y, height } = part.getBoundingClientRect();
            return [x, y, height].map(Math.round);
          });
          """
        )
        try await expectNoErrors(in: browser, on: name)
      }
      #expect(Set(bars.values).count == 1, "\(screen): \(bars)")
    }
  }

  @Test func anOperatorsPictureStandsUnderItsSummaryAndIsWholeOnAPhone() async throws {
    try await onSite { browser, root in
      for screen in [Screen(width: 1280, height: 900, isDark: false), Screen(width: 390, height: 844, isDark: false)] {
        try await browser.use(screen)
        for (name, path) in Self.looked[2...4] {
          try await browser.open(URL(string: path, relativeTo: root)!)
          try await browser.wait(for: "the picture of \(name)") {
            try await browser.execute(
              "const image = document.querySelector('img[src*=\"marbles-\"]'); return image?.complete && image.naturalWidth > 0",
              returning: Bool?.self
            )
          } until: {
            $0 == true
          }
          // The picture is above the declaration, and on the first screen.
          let place: [Double] = try await browser.execute(
            """
            const top = element => element.getBoundingClientRect().top + scrollY;
            const image = document.querySelector('img[src*="marbles-"]');
            return [
              top(image), top(document.querySelector('.declaration')), image.width / image.naturalWidth,
              document.documentElement.clientWidth - image.getBoundingClientRect().right,
            ];
            """
          )
          #expect(place[0] < place[1], "\(name), \(screen): \(place)")
          #expect(place[0] < 560, "\(name), \(screen): \(place)")
          // It is whole, and not so small that the letters cannot be read.
          #expect(place[2] > (screen.isPhone ? 0.6 : 0.99), "\(name), \(screen): \(place)")
          #expect(place[3] > 0, "\(name), \(screen): \(place)")
        }
      }
    }
  }

  @Test func anOperatorsPageLeadsToThePlayground() async throws {
    try await onSite { browser, root in
      try await browser.open(URL(string: Self.looked[2].1, relativeTo: root)!)
      let isPart = Self.hasPlayground
      try await browser.wait(for: "the link") {
        try await browser.execute(
          "return document.querySelector('a[href*=\"?op=debounce\"]')?.href ?? ''",
          returning: String.self
        )
      } until: {
        isPart
          ? $0.hasPrefix("\(root)play/?op=debounce&a=") : $0 == "http://127.0.0.1:8001/operators?op=debounce"
      }
    }
  }

  /// A person touches the picture of an operator's page, and moves a marble: the library in the page says what becomes of it.
  @Test(
    .enabled(if: hasPlayground, "there was no Swift SDK for WebAssembly when the site was built"),
    arguments: [
      ("debounce(for:scheduler:options:)", "a2 c6 |9", "a2 b7 |9"),
      ("scan(_:_:)", "10 33 66 |9", "10 35 66 |9"),
      ("delay(for:tolerance:scheduler:options:)", nil, nil),
    ]
  )
  func theMarblesOfAPictureMove(_ page: String, _ before: String?, _ after: String?) async throws {
    try await onSite { browser, root in
      try await open("combinecore/publisher/\(page)", of: root, in: browser)
      try await browser.wait(for: "the link") {
        try await browser.execute("return !!document.querySelector('a[href*=\"/play/?op=\"]')", returning: Bool.self)
      } until: {
        $0
      }
      try await browser.find(".abstract img[src*='marbles-']").click()
      let first = try await browser.wait(for: "an output", within: .seconds(5)) {
        try await Self.output(in: browser)
      } until: {
        $0 != ""
      }
      if let before { #expect(first == before) }
      // The second marble is moved by two strides.
      try await browser.execute(
        """
        const page = document.querySelector('iframe.site-play').contentDocument;
        const marble = page.querySelector("[data-line='0'][data-index='1']");
        for (const name of ['pointerdown', 'pointerup']) {
          marble.dispatchEvent(new page.defaultView.PointerEvent(name, { button: 0, bubbles: true, pointerId: 1 }));
        }
        const time = page.getElementById('at');
        time.value = Number(time.value) + 2;
        time.dispatchEvent(new page.defaultView.Event('input', { bubbles: true }));
        """
      )
      let second = try await browser.wait(for: "another output") {
        try await Self.output(in: browser)
      } until: {
        $0 != first
      }
      if let after { #expect(second == after) }
      if ProcessInfo.processInfo.environment["KEEP_SCREENSHOTS"] != nil {
        let file = "../../../Screenshots/moved-\(page.prefix { $0 != "(" }).png"
        try await browser.saveScreenshot(to: URL(filePath: #filePath).deletingLastPathComponent().appending(path: file))
      }
      try await expectNoErrors(in: browser, on: page)
    }
  }

  static let hasPlayground = FileManager.default.fileExists(atPath: site.appending(path: "play/play.wasm.gz").path)

  /// The texts and times of the marbles that the playground in a page puts out.
  private static func output(in browser: Browser) async throws -> String {
    try await browser.execute(
      """
      const page = document.querySelector('iframe.site-play')?.contentDocument;
      return [...page?.querySelectorAll("[data-line='output']") ?? []]
        .map(event => (event.querySelector('text')?.textContent ?? event.dataset.mark) + event.dataset.time).join(' ');
      """
    )
  }

  /// Keeps a picture for people to look at, if `LOOK` names a folder.
  private func keep(_ name: String, _ screen: Screen, _ browser: Browser) async throws {
    guard let folder = ProcessInfo.processInfo.environment["LOOK"] else { return }
    // The pages of DocC load their pictures after the heading.
    try await Task.sleep(for: .milliseconds(700))
    try await browser.picture("png").write(to: URL(filePath: folder).appending(path: "site-\(name)-\(screen).png"))
  }
}
