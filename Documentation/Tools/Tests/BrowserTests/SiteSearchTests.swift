import Foundation
import Site
import Testing

extension SiteInBrowserTests {

  // MARK: The only search

  /// On each kind of page, at its top and scrolled, / leads to the bar's search, and nothing of DocC opens.
  @Test(arguments: [1280, 390])
  func theKeySlashLeadsToTheOnlySearchOnEachPage(width: Int) async throws {
    try await onSite { browser, root in
      try await browser.use(Screen(width: width, height: 844, isDark: false))
      for path in [
        "documentation/combine/", "documentation/combine/sharingwork/", "documentation/combinecore/publisher/",
        "documentation/combinecore/publisher/debounce(for:scheduler:options:)/",
        "tutorials/combine/searchasyoutypetutorial/",
        "documentation/", "choose/", "a-z/", "pictures/",
      ] {
        try await browser.open(URL(string: path, relativeTo: root)!)
        try await browser.wait(for: "a heading on \(path)", read: { try await browser.findAll("h1").count }) { $0 > 0 }
        for place in [0, 700] {
          let top: Double = try await browser.execute(
            """
            document.activeElement.blur();
            scrollTo(0, arguments[0]);
            return document.querySelector(".site-bar").getBoundingClientRect().top;
            """,
            place
          )
          #expect(top == 0, "\(path) at \(place)")
          try await browser.find("body").type("/")
          let state: [String] = try await browser.execute(
            """
            return [
              document.activeElement.closest(".site-search") ? "the bar's search" : document.activeElement.outerHTML,
              document.activeElement.value ?? "",
              document.querySelector(".quick-navigation, .navigator-filter input:not([hidden])")?.checkVisibility() ? "DocC's" : "",
            ];
            """
          )
          #expect(state == ["the bar's search", "", ""], "\(path) at \(place)")
        }
        #expect(try await hit("withLatestFrom", in: browser).title == "withLatest(of:)", "\(path)")
      }
    }
  }

  // MARK: What is found

  struct Hit: Decodable, Sendable {
    let path: String
    let title: String
    let place: String
  }

  /// The first page that the search finds for a text; empty strings if it finds none.
  func hit(_ text: String, in browser: Browser) async throws -> Hit {
    try await browser.execute(
      """
      const field = document.querySelector(".site-search input");
      const results = document.getElementById("site-results");
      field.focus();
      results.replaceChildren();
      field.value = arguments[0];
      field.dispatchEvent(new Event("input"));
      return new Promise(done => {
        const look = () => {
          if (!results.children.length) return setTimeout(look, 5);
          const link = results.querySelector("a");
          done({
            path: link?.getAttribute("href") ?? "", title: link?.firstChild.textContent ?? "",
            place: link?.querySelector("span").textContent ?? "",
          });
        };
        look();
      });
      """,
      text
    )
  }

  /// The first hit for what people type: Combine's own names, those of other libraries, and tasks.
  private static let words: [(word: String, path: String)] = [
    ("map", "combinecore/publisher/map("), ("filter", "combinecore/publisher/filter("),
    ("debounce", "combinecore/publisher/debounce("), ("throttle", "combinecore/publisher/throttle("),
    ("take", "combinecore/publisher/prefix("), ("takeLast", "combineextras/combinecore/publisher/suffix("),
    ("takeUntil", "combinecore/publisher/prefix(untiloutputfrom:)"),
    ("takeWhile", "combinecore/publisher/prefix(while:)"), ("skip", "combinecore/publisher/dropfirst("),
    ("skipWhile", "combinecore/publisher/drop(while:)"),
    ("skipUntil", "combinecore/publisher/drop(untiloutputfrom:)"),
    ("withLatestFrom", "combineextras/combinecore/publisher/withlatest(of:)"),
    ("flatMapLatest", "combineextras/combinecore/publisher/flatmaplatest("),
    ("switchMap", "combineextras/combinecore/publisher/flatmaplatest("),
    ("mergeMap", "combinecore/publisher/flatmap("), ("concatMap", "combineextras/combinecore/publisher/concatmap("),
    ("exhaustMap", "combineextras/combinecore/publisher/exhaustmap("),
    ("flatMapFirst", "combineextras/combinecore/publisher/exhaustmap("),
    ("do", "combinecore/publisher/handleevents("), ("tap", "combinecore/publisher/handleevents("),
    ("doOnNext", "combinecore/publisher/handleevents("), ("side effect", "combinecore/publisher/handleevents("),
    ("backpressure", "combine/publisherssubscribersdemand"), ("demand", "combine/publisherssubscribersdemand"),
    ("debounceTime", "combinecore/publisher/debounce("), ("throttleTime", "combinecore/publisher/throttle("),
    ("distinctUntilChanged", "combinecore/publisher/removeduplicates()"),
    ("unique", "combineextras/combinecore/publisher/distinct()"), ("startWith", "combinecore/publisher/prepend("),
    ("concat", "combinecore/publisher/append("), ("amb", "combineextras/combinecore/publisher/amb("),
    ("race", "combineextras/combinecore/publisher/amb("), ("forkJoin", "combinecore/publisher/zip("),
    ("toArray", "combinecore/publisher/collect()"), ("bufferCount", "combinecore/publisher/collect("),
    ("bufferTime", "combinecore/publisher/collect("), ("observeOn", "combinecore/publisher/receive(on:"),
    ("main thread", "combinecore/publisher/receive(on:"), ("subscribeOn", "combinecore/publisher/subscribe(on:"),
    ("background thread", "combinecore/publisher/subscribe(on:"), ("catchError", "combinecore/publisher/replaceerror("),
    ("onErrorResumeNext", "combinecore/publisher/catch("),
    ("retryWhen", "combineextras/combinecore/publisher/retrywhen("),
    ("backoff", "combineextras/combinecore/publisher/retry("),
    ("shareReplay", "combineextras/combinecore/publisher/share(replay:scope:)"),
    ("refCount", "combinecore/publisher/multicast("),
    ("interval", "combineextras/combinecore/scheduler/timerpublisher("),
    ("polling", "combineextras/combinecore/scheduler/timerpublisher("), ("just", "combinecore/just"),
    ("BehaviorSubject", "combinecore/currentvaluesubject"), ("PublishSubject", "combinecore/passthroughsubject"),
    ("BehaviorRelay", "combineextras/currentvaluerelay"), ("DisposeBag", "combinecore/publisher/sink("),
    ("subscribe", "combinecore/publisher/subscribe("), ("forEach", "combinecore/publisher/sink("),
    ("async", "combine/combineandswiftconcurrency"), ("test", "combine/testing"), ("marble", "combine/testing"),
    ("memory leak", "combine/memoryandcancellables"), ("thread safe", "combine/threadssendableactors"),
    ("delegate", "combine/comingfromdelegatesandcallbacks"), ("callback", "combinecore/future"),
    ("AnyPublisher", "combinecore/anypublisher"), ("EventLoop", "combinenio/"), ("JetStream", "combinejetstream"),
    ("Vapor", "combine/aserverwithhummingbird"), ("Hummingbird", "combine/aserverwithhummingbird"),
    ("GTK", "combine/userinterfacesonlinux"), ("defaultIsolation", "combine/defaultisolation"),
    ("recursion", "combine/recursionandstackdepth"), ("compiler error", "combine/compilererrors"),
    ("flaky", "combine/testingonci"),
    ("sample", "combineextras/combinecore/publisher/sample(by:)"), ("timeout", "combinecore/publisher/timeout("),
  ]

  @Test func theSearchFindsWhatPeopleTypeInAllModules() async throws {
    #expect(Self.words.count >= 60)
    try await onSite { browser, root in
      // A page of another module than those that are found.
      try await open("combinedispatch", of: root, in: browser)
      var list = ""
      for (word, path) in Self.words + Self.questions {
        let hit = try await hit(word, in: browser)
        list += "\(word) → \(hit.path)\n"
        #expect(hit.path.hasPrefix("/documentation/\(path)"), "\(word): \(hit.path)")
        // A name, and no declaration.
        #expect(
          !hit.title.contains("<") && !hit.title.contains(" -> ") && !hit.title.hasPrefix("func "),
          "\(hit.title)"
        )
      }
      if let folder = ProcessInfo.processInfo.environment["LOOK"] {
        try list.write(to: URL(filePath: folder).appending(path: "words.txt"), atomically: true, encoding: .utf8)
      }
    }
  }

  /// What people ask in more than a name. The last rows are found by the headings and the text of guides.
  private static let questions: [(word: String, path: String)] = [
    ("flat map", "combinecore/publisher/flatmap("), ("combine latest", "combinecore/publisher/combinelatest("),
    ("back-off", "combineextras/combinecore/publisher/retry("), ("weak self", "combine/memoryandcancellables"),
    ("migration", "combine/comingfromopencombine"), ("migrating", "combine/comingfrom"), ("XCTest", "combine/testing"),
    ("unit test", "combine/testing"), ("error handling", "combine/errorsandretries"),
    ("race condition", "combine/threadssendableactors"), ("performance", "combine/whatthingscost"),
    ("KVO", "combine/comingfrom"),
    ("NATS", "combinejetstream/streamswithjetstream"), ("Swift 6", "combine/defaultisolation"),
    ("Windows", "combine/platforms"),
    ("WebAssembly", "combine/platforms"), ("SwiftUI", "combine/userinterfacesonlinux"),
  ]

  @Test(arguments: [
    ("debouce", "combinecore/publisher/debounce("), ("throtle", "combinecore/publisher/throttle("),
    ("withLatestForm", "combineextras/combinecore/publisher/withlatest(of:)"),
    ("flatMpa", "combinecore/publisher/flatmap("),
    ("skan", "combinecore/publisher/scan("), ("PasthroughSubject", "combinecore/passthroughsubject"),
    ("removeDuplicate", "combinecore/publisher/removeduplicates()"), ("memory laek", "combine/memoryandcancellables"),
    ("shareRelay", "combineextras/combinecore/publisher/share(replay:scope:)"),
    ("mian thread", "combinecore/publisher/receive(on:"),
  ])
  func theSearchSurvivesATypo(_ text: String, _ path: String) async throws {
    try await onSite { browser, root in
      try await open("combine", of: root, in: browser)
      let hit = try await hit(text, in: browser)
      #expect(hit.path.hasPrefix("/documentation/\(path)"), "\(text): \(hit.path)")
    }
  }

  /// A guide that does not exist yet is found by a heading, a word of its text, another form of a word, and with a typo.
  @Test func aGuideIsFoundByItsHeadingsAndByItsText() async throws {
    try await onSite { browser, root in
      try await open("combine", of: root, in: browser)
      _ = try await hit("map", in: browser)
      try await browser.execute(
        """
        pages.push(prepared({
          title: "A guide", path: "/documentation/combine/aguide", module: "combine", kind: "article", place: "Combine", words: {},
          headings: [{ text: "Serve with Kestrel", anchor: "Serve-with-Kestrel" }], text: { zeppelin: 3, upholster: 1 },
        }));
        known = undefined;
        """
      )
      for (text, path) in [
        ("Kestrel", "/documentation/combine/aguide/#Serve-with-Kestrel"),
        ("zeppelin", "/documentation/combine/aguide/"),
        ("Zeppelins", "/documentation/combine/aguide/"), ("upholstering", "/documentation/combine/aguide/"),
        ("kestrell", "/documentation/combine/aguide/#Serve-with-Kestrel"),
        ("zepelin", "/documentation/combine/aguide/"),
        ("zeppelin zeppelin kestrel", ""), ("xylophonist", ""),
      ] {
        #expect(try await hit(text, in: browser).path == path, "\(text)")
      }
    }
  }
}
