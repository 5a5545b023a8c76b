import Foundation

/// A screen on which a page is looked at.
struct Screen: Hashable, Sendable, CustomStringConvertible {

  let width: Int
  let height: Int
  let isDark: Bool

  /// A laptop, a tablet and a phone, each in light and in dark.
  static let all = [(1280, 900), (768, 1024), (390, 844)].flatMap { width, height in
    [false, true].map { Screen(width: width, height: height, isDark: $0) }
  }

  var isPhone: Bool { width < 500 }

  var description: String { "\(width)-\(isDark ? "dark" : "light")" }
}

extension Browser {

  /// Shows pages as a screen does. A window of a browser cannot be as narrow as a phone.
  func use(_ screen: Screen) async throws {
    try await control(
      "Emulation.setDeviceMetricsOverride",
      Metrics(width: screen.width, height: screen.height, deviceScaleFactor: 1, mobile: false)
    )
    try await prefer(dark: screen.isDark)
  }

  private struct Metrics: Encodable {
    let width: Int
    let height: Int
    let deviceScaleFactor: Int
    let mobile: Bool
  }

  /// Returns a picture of the upper part of the page, beyond the window's lower edge too.
  ///
  /// - Parameters:
  ///   - format: `png` or `webp`.
  ///   - height: The maximum height in pixels.
  func picture(_ format: String, height: Int = 1800) async throws -> Data {
    try await useWholeWidth()
    let size = try await execute(
      "return [innerWidth, Math.max(innerHeight, Math.min(document.documentElement.scrollHeight, arguments[0]))]",
      height,
      returning: [Int].self
    )
    let clip = Clip(width: size[0], height: size[1])
    let answer = try await control(
      "Page.captureScreenshot",
      Capture(format: format, quality: format == "webp" ? 60 : nil, clip: clip),
      as: [String: String].self
    )
    guard let data = answer["data"].flatMap({ Data(base64Encoded: $0) }) else { throw CocoaError(.coderInvalidValue) }
    return data
  }

  private struct Capture: Encodable {
    let format: String
    let quality: Int?
    let captureBeyondViewport = true
    let clip: Clip
  }

  private struct Clip: Encodable {
    let x = 0
    let y = 0
    let width: Int
    let height: Int
    let scale = 1
  }

  /// Returns the part of the pixels, from 0 to 1, in which two pictures differ visibly. It is 1 if their sizes differ.
  ///
  /// The browser decodes them. It shows another page then.
  func difference(_ one: Data, _ other: Data, type: String = "image/webp") async throws -> Double {
    try await open(URL(string: "data:text/html,")!)
    return try await execute(
      """
      const type = arguments[2];
      const load = async text => {
        const image = new Image();
        image.src = `data:${type};base64,${text}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      return Promise.all([load(arguments[0]), load(arguments[1])]).then(([one, other]) => {
        if (one.width !== other.width || one.height !== other.height) return 1;
        let count = 0;
        for (let i = 0; i < one.data.length; i += 4) {
          const most = Math.max(...[0, 1, 2].map(k => Math.abs(one.data[i + k] - other.data[i + k])));
          if (most > 48) count += 1;
        }
        return count / (one.width * one.height);
      });
      """,
      one.base64EncodedString(),
      other.base64EncodedString(),
      type
    )
  }
}
