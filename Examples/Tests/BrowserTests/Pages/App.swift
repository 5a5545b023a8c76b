import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The program `recipes --serve`, in a separate process.
struct App: Sendable {

  /// The address on which it listens.
  let address: URL

  /// Runs the program and a browser as long as some work needs them.
  ///
  /// - Parameter work: A closure that receives the program, and a browser that shows nothing yet.
  static func run(
    isolation: isolated (any Actor)? = #isolation,
    _ work: (App, Browser) async throws -> Void
  ) async throws {
    let log = FileManager.default.temporaryDirectory.appending(path: "recipes-\(UUID().uuidString).log")
    defer { try? FileManager.default.removeItem(at: log) }
    // The tests and the program are built into one folder.
    let program = Bundle.main.executableURL!.deletingLastPathComponent().appending(path: "recipes")
    let process = try OwnedProcess([program.path, "--serve", "--port", "0"], log: log)
    defer { process.end() }
    let (_, address) = try await process.output(matching: /Open (http\S+)/)
    try await withBrowser(width: 1280, height: 900) { browser in
      try await work(App(address: URL(string: String(address))!), browser)
    }
  }

  // MARK: Pages

  /// Shows a page in the browser's tab, and waits until it is connected.
  func open(_ page: String, in browser: Browser) async throws {
    try await browser.open(address.appending(path: page))
    try await browser.wait(for: "the page's socket") {
      try await browser.execute("return socket.readyState == WebSocket.OPEN")
    } until: {
      $0
    }
  }

  // MARK: The server's log

  struct Log: Decodable {

    /// The requests of the pipelines, in the order of their arrival.
    let requests: [String]

    /// The number of requests that are in progress.
    let unanswered: Int

    private let inFlight: [String: Int]

    /// The number of open tabs.
    var tabs: Int { inFlight["tabs"] ?? 0 }

    /// The number of pipeline stages that have a live subscription.
    var subscriptions: Int { inFlight["subscriptions"] ?? 0 }

    /// The names requested from the directory.
    var names: [String] {
      requests.compactMap { request in
        URLComponents(string: request).flatMap { $0.path == "/directory" ? $0.queryItems : nil }?
          .first { $0.name == "name" }?.value
      }
    }

    /// The number of requests to a path.
    func hits(_ path: String) -> Int {
      requests.count { $0.hasPrefix(path) }
    }
  }

  var log: Log {
    get async throws {
      let (data, _) = try await URLSession.shared.data(from: address.appending(path: "log"))
      return try JSONDecoder().decode(Log.self, from: data)
    }
  }

  /// Waits until no subscription is left of the pages that were open.
  func waitForNoSubscriptions() async throws {
    try await wait(for: "no tab and no subscription") {
      let log = try await log
      return (log.tabs, log.subscriptions)
    } until: {
      $0 == (0, 0)
    }
  }
}
