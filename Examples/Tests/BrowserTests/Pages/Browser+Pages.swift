import Foundation

extension Browser {

  /// Remembers from now on each text that an element shows.
  func watch(_ selector: String) async throws {
    try await execute(
      """
      const element = document.querySelector(arguments[0]);
      window.seen = [];
      new MutationObserver(() => seen.push(element.textContent)).observe(element, { childList: true });
      """,
      selector
    )
  }

  /// What was shown since `watch`.
  var seen: [String] {
    get async throws { try await execute("return window.seen") }
  }

  /// Keeps a picture of the page for the README, if the environment asks for that.
  func keepScreenshot(_ name: String) async throws {
    guard ProcessInfo.processInfo.environment["KEEP_SCREENSHOTS"] != nil else { return }
    let folder = URL(filePath: #filePath).appending(path: "../../../../Screenshots").standardized
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await saveScreenshot(to: folder.appending(path: "\(name).png"))
  }
}
