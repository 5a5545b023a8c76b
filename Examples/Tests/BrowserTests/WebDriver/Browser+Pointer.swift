/// The mouse.
extension Browser {

  private struct Actions: Encodable {

    struct Parameters: Encodable {
      let pointerType = "mouse"
    }

    let type = "pointer"
    let id = "mouse"
    let parameters = Parameters()
    let actions: [Action]
  }

  private struct Action: Encodable {
    let type: String
    var duration: Int?
    var origin: Origin?
    var x: Int?
    var y: Int?
    var button: Int?

    static let down = Action(type: "pointerDown", button: 0)
    static let up = Action(type: "pointerUp", button: 0)

    static func move(_ origin: Origin, _ x: Int, _ y: Int) -> Action {
      Action(type: "pointerMove", duration: 20, origin: origin, x: x, y: y)
    }
  }

  private enum Origin: Encodable, Sendable {

    case pointer

    /// The middle of an element.
    case element(Element)

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .pointer:
        var container = encoder.singleValueContainer()
        try container.encode("pointer")
      case .element(let element): try element.encode(to: encoder)
      }
    }
  }

  private func perform(_ actions: [Action]) async throws {
    try await connection.post("actions", ["actions": [Actions(actions: actions)]])
  }

  /// Drags an element by a distance in pixels, in some steps.
  func drag(_ element: Element, by x: Int) async throws {
    let steps = (1...4).map { Action.move(.pointer, x * $0 / 4 - x * ($0 - 1) / 4, 0) }
    try await perform([.move(.element(element), 0, 0), .down] + steps + [.up])
  }

  /// Clicks at a distance in pixels from the middle of an element.
  func click(_ element: Element, x: Int) async throws {
    try await perform([.move(.element(element), x, 0), .down, .up])
  }

  /// Clicks on an element twice.
  func doubleClick(_ element: Element) async throws {
    try await perform([.move(.element(element), 0, 0), .down, .up, .down, .up])
  }
}
