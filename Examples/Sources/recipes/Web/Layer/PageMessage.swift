/// A message to a page, in JSON.
enum PageMessage: Encodable, Sendable {

  /// A property of an element has a new value.
  case set(element: String, property: String, value: PageValue)

  /// An event occurred at a stage.
  case stage(Stages.Event)

  private enum Key: CodingKey {
    case element, property, value, stage
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .set(let element, let property, let value):
      try container.encode(element, forKey: .element)
      try container.encode(property, forKey: .property)
      try container.encode(value, forKey: .value)
    case .stage(let event):
      try container.encode(event, forKey: .stage)
    }
  }
}

/// A message from a page, in JSON: its user typed into an element, switched it on or off, or pressed it.
struct PageEvent: Decodable, Sendable {
  let element: String
  let value: PageValue?
}

enum PageValue: Codable, Equatable, Sendable {
  case text(String)
  case flag(Bool)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try (try? .flag(container.decode(Bool.self))) ?? .text(container.decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .flag(let flag): try container.encode(flag)
    }
  }
}
