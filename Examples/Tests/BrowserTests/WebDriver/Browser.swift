import Foundation

/// A browser that a test drives as a person would.
///
/// ```swift
/// try await withBrowser { browser in
///   try await browser.open(URL(string: "http://127.0.0.1:8080/")!)
///   try await browser.find("#name").type("Ada")
///   try await browser.wait(for: "1 user", in: "#count")
/// }
/// ```
///
/// It runs one command after the other, each in its current tab.
struct Browser: Sendable {

  let connection: Connection

  /// The main process of this browser. Its other processes end with it.
  let processID: Int32

  // MARK: Pages

  /// Loads a page and waits until it is loaded.
  func open(_ url: URL) async throws {
    try await connection.post("url", ["url": url.absoluteString])
  }

  /// The address of the page.
  var url: String {
    get async throws { try await connection.get("url") }
  }

  /// The title of the page.
  var title: String {
    get async throws { try await connection.get("title") }
  }

  /// Returns the first element that matches a CSS selector. There must be one.
  func find(_ selector: String) async throws -> Element {
    try await element(connection.post("element", ["using": "css selector", "value": selector]))
  }

  /// Returns all elements that match a CSS selector.
  func findAll(_ selector: String) async throws -> [Element] {
    try await connection
      .post("elements", ["using": "css selector", "value": selector], as: [Element.Reference].self)
      .map(element)
  }

  private func element(_ reference: Element.Reference) -> Element {
    Element(reference: reference, connection: connection["element/\(reference.id)"])
  }

  // MARK: Waiting

  /// Waits until an element shows a text.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - selector: The CSS selector of the element, which need not exist yet.
  ///   - limit: The maximum time to wait.
  func wait(for text: String, in selector: String, within limit: Duration = .seconds(10)) async throws {
    try await wait(for: "“\(text)” in \(selector)", within: limit) {
      try await find(selector).text
    } until: {
      $0 == text
    }
  }

  /// Reads a value of the page repeatedly until it is right. See the function `wait`.
  @discardableResult
  func wait<Value>(
    for what: String,
    within limit: Duration = .seconds(10),
    isolation: isolated (any Actor)? = #isolation,
    read: () async throws -> Value,
    until isRight: (Value) throws -> Bool
  ) async throws -> Value {
    try await BrowserTests.wait(for: what, within: limit, read: read, until: isRight)
  }

  // MARK: Scripts

  /// Runs the body of a function in the page.
  ///
  /// - Parameters:
  ///   - script: The body, in JavaScript. Its `arguments` are the values. The result is what it returns, or what a
  ///     returned promise resolves to.
  ///   - values: Values, and elements of the page.
  /// - Returns: The result.
  func execute<Result: Decodable>(
    _ script: String,
    _ values: any Encodable & Sendable...,
    returning type: Result.Type = Result.self
  ) async throws -> Result {
    try await connection.post("execute/sync", ["script": script, "args": values.map(AnyEncodable.init)])
  }

  /// Runs the body of a function in the page, and ignores its result.
  func execute(_ script: String, _ values: any Encodable & Sendable...) async throws {
    try await connection.post("execute/sync", ["script": script, "args": values.map(AnyEncodable.init)])
  }

  // MARK: The console

  private struct LogEntry: Decodable {
    let level: String
    let message: String
  }

  /// Returns the errors that pages have written to the console since the last call, those of failed requests included.
  func consoleErrors() async throws -> [String] {
    try await connection.post("se/log", ["type": "browser"], as: [LogEntry].self)
      .filter { $0.level == "SEVERE" }
      .map(\.message)
  }

  // MARK: Media

  /// Makes pages believe that the person prefers a dark or a light color scheme.
  func prefer(dark: Bool) async throws {
    let feature = ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
    try await control("Emulation.setEmulatedMedia", ["features": [feature]])
  }

  /// Sends a command of the browser's own protocol, for what WebDriver has no command.
  @discardableResult
  func control<Parameters: Encodable & Sendable, Result: Decodable>(
    _ command: String,
    _ parameters: Parameters,
    as type: Result.Type = [String: String].self
  ) async throws -> Result {
    try await connection.post("goog/cdp/execute", ["cmd": command, "params": parameters])
  }

  // MARK: Pictures

  /// Returns a picture of the visible page, in PNG.
  func screenshot() async throws -> Data {
    try await useWholeWidth()
    let text: String = try await connection.get("screenshot")
    guard let data = Data(base64Encoded: text) else { throw CocoaError(.coderInvalidValue) }
    return data
  }

  /// Gives the page the room of the scrollbar, which pictures do not show.
  func useWholeWidth() async throws {
    try await execute("document.documentElement.style.overflowY = 'auto'")
  }

  /// Writes a picture of the page to a PNG file.
  func saveScreenshot(to file: URL) async throws {
    try await screenshot().write(to: file)
  }

  // MARK: Tabs

  /// One of the browser's tabs.
  struct Tab: Hashable, Sendable {
    fileprivate let handle: String
  }

  /// The current tab.
  var tab: Tab {
    get async throws { try await Tab(handle: connection.get("window")) }
  }

  /// All tabs.
  var tabs: [Tab] {
    get async throws { try await connection.get("window/handles", as: [String].self).map(Tab.init) }
  }

  /// Opens a tab and makes it the current one.
  @discardableResult
  func openTab() async throws -> Tab {
    let answer = try await connection.post("window/new", ["type": "tab"], as: [String: String].self)
    let tab = Tab(handle: answer["handle"]!)
    try await switchTo(tab)
    return tab
  }

  /// Makes another tab the current one.
  func switchTo(_ tab: Tab) async throws {
    try await connection.post("window", ["handle": tab.handle])
  }

  /// Closes the current tab. There is no current tab then, so `switchTo` must follow.
  func closeTab() async throws {
    try await connection["window"].delete()
  }

  // MARK: The end

  /// Closes the browser.
  func quit() async throws {
    try await connection.delete()
  }

  /// Whether its process runs. A process that has ended may have an entry until its parent waits for it.
  var isRunning: Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8) else { return false }
    return status.firstMatch(of: /\) (.)/)?.1 != "Z"
  }
}
