import Foundation
import Testing

/// The pages of `recipes --serve`, in a browser: what a person does there, and what the page shows then.
///
/// One after the other: a browser and a server keep a small machine busy.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PageTests {

  /// Keeps a picture of what the browser shows, if the environment asks for that.
  static func keepScreenshot(_ name: String, of browser: Browser) async throws {
    guard ProcessInfo.processInfo.environment["KEEP_SCREENSHOTS"] != nil else { return }
    let folder = URL(filePath: #filePath).appending(path: "../../../../Screenshots").standardized
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await browser.saveScreenshot(to: folder.appending(path: "\(name).png"))
  }
}

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
}
