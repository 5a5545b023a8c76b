/// An element of a page.
struct Element: Encodable, Sendable {

  /// WebDriver's reference to an element.
  struct Reference: Codable, Sendable {
    let id: String

    enum CodingKeys: String, CodingKey {
      case id = "element-6066-11e4-a52e-4f735466cecf"
    }
  }

  let reference: Reference

  let connection: Connection

  /// Encodes the element as an argument of a script.
  func encode(to encoder: any Encoder) throws {
    try reference.encode(to: encoder)
  }

  // MARK: A person's actions

  /// Scrolls to the element and clicks it.
  func click() async throws {
    try await connection.post("click")
  }

  /// Types a text, key by key, after the existing text.
  ///
  /// - Parameter text: Letters and ``Key``s. The driver accepts no characters beyond U+FFFF, such as emoji.
  func type(_ text: String) async throws {
    try await connection.post("value", ["text": text])
  }

  /// Empties a field.
  func clear() async throws {
    try await connection.post("clear")
  }

  // MARK: A person's view

  /// The text that it shows.
  var text: String {
    get async throws { try await connection.get("text") }
  }

  /// Whether it is shown.
  var isDisplayed: Bool {
    get async throws { try await connection.get("displayed") }
  }

  /// Whether it can be used. A greyed-out button cannot.
  var isEnabled: Bool {
    get async throws { try await connection.get("enabled") }
  }

  /// The text in a field.
  var value: String {
    get async throws { try await property("value") }
  }

  /// An attribute, as the page's source or a script has set it.
  func attribute(_ name: String) async throws -> String? {
    try await connection.get("attribute/\(name)")
  }

  /// A property of the object that scripts see.
  func property<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) async throws -> Value {
    try await connection.get("property/\(name)")
  }
}

/// Keys that are not letters, for typing.
enum Key {
  static let backspace = "\u{E003}"
  static let tab = "\u{E004}"
  static let enter = "\u{E007}"
  static let escape = "\u{E00C}"
  static let end = "\u{E010}"
  static let home = "\u{E011}"
  static let left = "\u{E012}"
  static let right = "\u{E014}"
  static let delete = "\u{E017}"
}
