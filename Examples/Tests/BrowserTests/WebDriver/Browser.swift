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
/// It does one thing after the other. What it does, it does in its current tab.
struct Browser: Sendable {

  let connection: Connection

  /// The process that the others of this browser end with.
  let processID: Int32

  // MARK: Pages

  /// Loads a page and waits until it is there.
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

  /// The first element that a CSS selector describes; there must be one.
  func find(_ selector: String) async throws -> Element {
    try await element(connection.post("element", ["using": "css selector", "value": selector]))
  }

  /// All elements that a CSS selector describes.
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
  ///   - text: All of the text.
  ///   - selector: The CSS selector of the element, which need not be there yet.
  ///   - limit: How long to wait at the most.
  func wait(for text: String, in selector: String, within limit: Duration = .seconds(10)) async throws {
    try await wait(for: "“\(text)” in \(selector)", within: limit) {
      try await find(selector).text
    } until: {
      $0 == text
    }
  }

  /// Reads a value of the page again and again until it is as it should be; see the function `wait`.
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
  ///   - script: The body, in JavaScript. Its `arguments` are the values, its result is what it returns; if that is a
  ///     promise, what it is kept with.
  ///   - values: Values, and elements of the page.
  /// - Returns: The result.
  func execute<Result: Decodable>(
    _ script: String,
    _ values: any Encodable & Sendable...,
    returning type: Result.Type = Result.self
  ) async throws -> Result {
    try await connection.post("execute/sync", ["script": script, "args": values.map(AnyEncodable.init)])
  }

  /// Runs the body of a function in the page, whatever it returns.
  func execute(_ script: String, _ values: any Encodable & Sendable...) async throws {
    try await connection.post("execute/sync", ["script": script, "args": values.map(AnyEncodable.init)])
  }

  // MARK: Pictures

  /// A picture of the page as it is seen, in PNG.
  func screenshot() async throws -> Data {
    let text: String = try await connection.get("screenshot")
    guard let data = Data(base64Encoded: text) else { throw CocoaError(.coderInvalidValue) }
    return data
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

  /// Closes the current tab. There is no current one then: `switchTo` must come next.
  func closeTab() async throws {
    try await connection["window"].delete()
  }

  // MARK: The end

  /// Closes the browser.
  func quit() async throws {
    try await connection.delete()
  }

  /// Whether its process runs; one that has ended may have an entry until its parent takes note.
  var isRunning: Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8) else { return false }
    return status.firstMatch(of: /\) (.)/)?.1 != "Z"
  }
}
