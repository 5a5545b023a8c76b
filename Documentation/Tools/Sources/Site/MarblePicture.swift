import Foundation

/// A picture of one run of a marble test: the inputs, the operator in a box, and the output.
///
/// Time runs from left to right, and one tick has the same width in all lines. Events at the same time stand below each
/// other. Each event is a group with its line, time and mark as data attributes, so that a test can find it.
public struct MarblePicture: Sendable {

  public let scene: Scene
  public let code: OperatorCode

  public init(scene: Scene, code: OperatorCode) {
    self.scene = scene
    self.code = code
  }

  // MARK: Sizes, in pixels

  public static let tick = 26.0
  private static let radius = 11.0
  private static let left = 46.0
  private static let right = 28.0
  private static let gap = 24.0
  private static let codeLine = 19.0
  private static let codeCharacter = 8.2

  private var lines: [Scene.Line] { scene.inputs + [scene.output] }

  private var start: Int { (lines.map(\.start) + lines.flatMap { $0.events.map(\.time) }).min() ?? 0 }
  private var end: Int { (lines.map(\.end) + lines.flatMap { $0.events.map { $0.time + 1 } }).max() ?? 1 }

  /// The distance of a time from the left edge.
  public func x(of time: Int) -> Double { Self.left + (Double(time - start) + 0.5) * Self.tick }

  private var width: Double {
    let columns = x(of: end) + Self.right
    let box = Double(code.lines.map(\.count).max() ?? 0) * Self.codeCharacter + 40
    let legend = Double(legend.map(\.count).max() ?? 0) * Self.codeCharacter + Self.left
    return max(columns, box, legend, 300).rounded(.up)
  }

  /// The values that letters stand for.
  private var legend: [String] {
    let outputs = scene.output.events.compactMap { event in
      event.text.contains(" = ") ? event.text.replacing("value ", with: "", maxReplacements: 1) : nil
    }
    var seen: Set<String> = []
    let inputs = code.values.map { $0.replacing(#/"(.)": /#) { "\($0.1) = " }.replacing(/[\[\]]/, with: "") }
    return (inputs.map { [$0] } ?? []) + outputs.filter { seen.insert($0).inserted && code.values == nil }
  }

  /// The fill of each letter, in the order in which the letters appear.
  private var fills: [String: Theme.Fill] {
    var fills: [String: Theme.Fill] = [:]
    for event in lines.flatMap(\.events) where event.isValue && fills[event.mark] == nil {
      fills[event.mark] = Theme.fills[fills.count % Theme.fills.count]
    }
    return fills
  }

  // MARK: The text of the picture

  /// A description for people who do not see the picture.
  public var description: String {
    func text(_ name: String, _ line: Scene.Line) -> String {
      "\(name): \(line.events.map { "\($0.spoken) at \($0.time)" }.joined(separator: ", "))"
    }
    let inputs = scene.inputs.enumerated().map { text(OperatorCode.letter(of: $0), $1) }
    return (inputs + [code.lines.joined(separator: " "), text("output", scene.output)]).joined(separator: ". ")
  }

  /// The picture in SVG.
  public func svg(_ theme: Theme) -> String {
    var canvas = Canvas(theme: theme, width: width, fills: fills)
    var y = 8.0
    for (index, input) in scene.inputs.enumerated() {
      let subscription = scene.subscriptions.indices.contains(index) ? scene.subscriptions[index] : nil
      y = draw(input, named: OperatorCode.letter(of: index), id: "input-\(index)", subscription, from: y, on: &canvas)
    }
    let height = Double(code.lines.count) * Self.codeLine + 18
    canvas.box(y: y, height: height, lines: code.lines, lineHeight: Self.codeLine)
    y = draw(scene.output, named: "", id: "output", nil, from: y + height + 8, on: &canvas)
    for line in legend {
      canvas.text(line, x: Self.left, y: y + 12, size: 12)
      y += 18
    }
    return canvas.svg(height: y + 4, description: description)
  }

  /// Draws a line.
  ///
  /// - Returns: The distance of the next line from the upper edge.
  private func draw(
    _ line: Scene.Line,
    named name: String,
    id: String,
    _ subscription: Scene.Line?,
    from top: Double,
    on canvas: inout Canvas
  ) -> Double {
    let y = top + Self.radius + 6
    if !name.isEmpty { canvas.text(name, x: 14, y: y + 5, size: 14, isBold: true) }
    let last = line.events.last { $0.isCompletion || $0.mark == "!" }
    let to = last.map { x(of: $0.time) } ?? x(of: max(end, line.end)) + 4
    canvas.axis(from: x(of: max(line.start, start)) - Self.tick / 2, to: to, y: y, isOpen: last == nil)
    if let subscription { drawSubscription(subscription, y: y + Self.radius + 7, to: to, on: &canvas) }
    if start < 0, line.start < 0 { canvas.zero(x: x(of: 0) - Self.tick / 2, y: y) }
    var depth = 0
    for (previous, event) in zip([nil] + line.events.map(Optional.some), line.events) {
      depth = previous?.time == event.time && event.isValue && previous?.isValue == true ? depth + 1 : 0
      // A completion stands beside a value of the same time, which would be hidden.
      let aside = event.isCompletion && previous?.time == event.time ? Self.radius + 5 : 0
      let place = x(of: event.time) + aside
      canvas.event(event, line: id, x: place, y: y + Double(depth) * Self.gap, radius: Self.radius)
    }
    let deepest = Dictionary(grouping: line.events.filter(\.isValue), by: \.time).values.map(\.count).max() ?? 1
    let stack = Double(max(0, deepest - 1)) * Self.gap
    return y + Self.radius + 12 + stack + (subscription == nil ? 0 : 8)
  }

  /// Draws when an input was subscribed to, as bars below its line.
  private func drawSubscription(_ line: Scene.Line, y: Double, to end: Double, on canvas: inout Canvas) {
    var open: Double?
    // An input that is subscribed to again starts again, and each time takes as long.
    let isRepeated = line.events.count { $0.mark == "^" } > 1
    func close(at place: Double?) {
      guard let start = open else { return }
      let end = isRepeated ? start + end - x(of: 0) : max(start, end)
      canvas.subscription(from: start, to: place ?? min(end, width - Self.right / 2), y: y, isCancelled: place != nil)
      open = nil
    }
    for event in line.events {
      if event.mark == "^" { close(at: nil) }
      if event.mark == "^" { open = x(of: event.time) } else { close(at: x(of: event.time)) }
    }
    close(at: nil)
  }
}

extension Scene.Event {

  var isCompletion: Bool { mark == "|" || mark == "#" }
  var isValue: Bool { !isCompletion && mark != "!" && mark != "^" }

  /// The event in words.
  var spoken: String {
    switch mark {
    case "|": "finish"
    case "#": "failure"
    case "!": "cancel"
    case "^": "subscription"
    default: mark
    }
  }
}
