import Foundation

extension Browser {

  /// Records from now on each text that an element shows.
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

  /// The texts shown since `watch`.
  var seen: [String] {
    get async throws { try await execute("return window.seen") }
  }

  /// Keeps a picture of the page for the README, if the environment requests that.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - isInstant: Whether the wanted state of the page lasts for a moment only. Otherwise the method waits for the
  ///     marbles that are entering their strips.
  func keepScreenshot(_ name: String, isInstant: Bool = false) async throws {
    guard Self.keepsScreenshots else { return }
    if !isInstant {
      try await execute("window.entering = document.querySelectorAll('.marble')")
      try await wait(for: "all marbles") {
        try await execute(
          """
          const right = element => element.getBoundingClientRect().right;
          return [...entering].every(marble => !marble.isConnected || right(marble) < right(marble.parentElement));
          """,
          returning: Bool.self
        )
      } until: {
        $0
      }
    }
    try FileManager.default.createDirectory(at: Self.screenshots, withIntermediateDirectories: true)
    try await saveScreenshot(to: Self.screenshots.appending(path: "\(name).png"))
  }

  /// Whether the pictures in the repository are renewed. The command `Examples/renew-screenshots` says so.
  static let keepsScreenshots = ProcessInfo.processInfo.environment["KEEP_SCREENSHOTS"] != nil

  /// The folder of the repository's pictures of pages.
  static let screenshots = URL(filePath: #filePath).appending(path: "../../../../Screenshots").standardized
}
