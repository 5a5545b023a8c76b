import Foundation

/// The program `chromedriver`, which opens browsers and runs commands in them.
///
/// Debian has it in the package `chromium-driver`, and the browser in `chromium`.
actor ChromeDriver {

  private let process: OwnedProcess
  private let connection: Connection
  private let folder: URL
  private var browsers: [Browser] = []

  /// Runs a driver as long as some work needs it. Its browsers end with it, however the work ends.
  ///
  /// - Parameter work: A closure that receives the driver.
  /// - Returns: The result of the work.
  static func run<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ work: (ChromeDriver) async throws -> Result
  ) async throws -> Result {
    let driver = try await ChromeDriver()
    do {
      let result = try await work(driver)
      await driver.end()
      return result
    } catch {
      await driver.end()
      throw error
    }
  }

  private init() async throws {
    // A separate folder, so that killed browsers leave no files.
    folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process = try OwnedProcess(
      ["chromedriver", "--port=0"],
      environment: ["TMPDIR": folder.path],
      log: folder.appending(path: "chromedriver.log")
    )
    do {
      let (_, port) = try await process.output(matching: /started successfully on port (\d+)\./)
      connection = Connection(port: UInt16(port)!)
    } catch {
      process.end()
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  /// Opens a browser without a display, with a window of a size in pixels.
  func open(width: Int = 1000, height: Int = 800) async throws -> Browser {
    let session = try await connection.post(
      "session",
      ["capabilities": Capabilities(alwaysMatch: .headless(width: width, height: height))],
      as: Session.self
    )
    let browser = Browser(
      connection: connection["session/\(session.sessionId)"],
      processID: session.capabilities.processID
    )
    browsers.append(browser)
    return browser
  }

  /// Ends the browsers and the driver: orderly, or else by force.
  private func end() async {
    // A separate task: the task of a test that takes too long is cancelled, and so are its requests.
    await Task {
      for browser in browsers { try? await browser.quit() }
      process.end()  // A browser that still runs detects this and ends too.
      for browser in browsers {
        do {
          try await wait(for: "the end", within: .seconds(5)) {
            browser.isRunning
          } until: {
            !$0
          }
        } catch {
          kill(browser.processID, SIGKILL)
        }
      }
      try? FileManager.default.removeItem(at: folder)
    }.value
  }
}

/// Runs a browser as long as some work needs it. It ends with the work, however that ends.
///
/// - Parameters:
///   - width: The width of the window in pixels.
///   - height: The height of the window in pixels.
///   - work: A closure that receives the browser.
/// - Returns: The result of the work.
func withBrowser<Result>(
  width: Int = 1000,
  height: Int = 800,
  isolation: isolated (any Actor)? = #isolation,
  _ work: (Browser) async throws -> Result
) async throws -> Result {
  try await ChromeDriver.run { try await work($0.open(width: width, height: height)) }
}

// MARK: The messages at the start of a session

private struct Capabilities: Encodable {
  let alwaysMatch: Options

  struct Options: Encodable {
    let chrome: Chrome
    let timeouts = ["pageLoad": 20_000, "script": 10_000]
    let logs = ["browser": "ALL"]

    enum CodingKeys: String, CodingKey {
      case chrome = "goog:chromeOptions"
      case logs = "goog:loggingPrefs"
      case timeouts
    }

    static func headless(width: Int, height: Int) -> Options {
      let arguments = [
        "--headless=new", "--hide-scrollbars", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--window-size=\(width),\(height)",
        // A pipe in place of a port: when the driver is killed, the pipe breaks, and that ends the browser.
        "--remote-debugging-pipe",
      ]
      return Options(chrome: Chrome(args: arguments))
    }
  }

  struct Chrome: Encodable {
    let args: [String]
  }
}

private struct Session: Decodable {
  let sessionId: String
  let capabilities: Capabilities

  struct Capabilities: Decodable {
    let processID: Int32

    enum CodingKeys: String, CodingKey {
      case processID = "goog:processID"
    }
  }
}
