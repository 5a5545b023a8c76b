import Foundation

/// The elements of a picture in SVG.
struct Canvas {

  let theme: Theme
  let width: Double
  let fills: [String: Theme.Fill]

  private var elements: [String] = []

  init(theme: Theme, width: Double, fills: [String: Theme.Fill]) {
    self.theme = theme
    self.width = width
    self.fills = fills
  }

  private static let font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

  mutating func text(_ text: String, x: Double, y: Double, size: Int, isBold: Bool = false, color: String? = nil) {
    elements.append(
      """
      <text x="\(x.short)" y="\(y.short)" font-size="\(size)" fill="\(color ?? theme.ink)"\
      \(isBold ? " font-weight=\"bold\"" : "") xml:space="preserve">\(text.escaped)</text>
      """
    )
  }

  /// A line of time, with an arrow at its end if it goes on.
  mutating func axis(from: Double, to: Double, y: Double, isOpen: Bool) {
    elements.append(stroke("M\(from.short) \(y.short)H\(to.short)", theme.line, 2))
    if isOpen { elements.append(stroke("M\((to - 7).short) \((y - 5).short)l7 5l-7 5", theme.line, 2)) }
  }

  /// The moment of the subscription, in a line that begins before it.
  mutating func zero(x: Double, y: Double) {
    elements.append(stroke("M\(x.short) \((y - 14).short)v28", theme.line, 1, dashes: "3 3"))
  }

  /// A bar from a subscription to its end.
  mutating func subscription(from: Double, to: Double, y: Double, isCancelled: Bool) {
    elements.append(stroke("M\(from.short) \((y - 4).short)v8M\(from.short) \(y.short)H\(to.short)", theme.line, 2))
    if isCancelled { elements.append(stroke("M\((to - 4).short) \((y - 4).short)l8 8m0 -8l-8 8", theme.line, 2)) }
  }

  /// The box of the operator.
  mutating func box(y: Double, height: Double, lines: [String], lineHeight: Double) {
    elements.append(
      """
      <rect class="operator" x="1" y="\(y.short)" width="\((width - 2).short)" height="\(height.short)" rx="8" \
      fill="\(theme.box)" stroke="\(theme.border)"/>
      """
    )
    let longest = Double(lines.map(\.count).max() ?? 0) * 7.9
    let x = lines.count == 1 ? max(16, (width - longest) / 2) : 16
    for (index, line) in lines.enumerated() {
      text(line, x: x, y: y + 9 + (Double(index) + 0.72) * lineHeight, size: 13)
    }
  }

  mutating func event(_ event: Scene.Event, line: String, x: Double, y: Double, radius: Double) {
    let content =
      switch event.mark {
      case "|": stroke("M\(x.short) \((y - radius - 2).short)v\((2 * radius + 4).short)", theme.ink, 3)
      case "#": stroke("M\((x - 8).short) \((y - 8).short)l16 16m0 -16l-16 16", theme.ink, 3)
      case "!": stroke("M\(x.short) \((y - radius).short)v\((2 * radius).short)", theme.ink, 2, dashes: "3 3")
      default: marble(event.mark, x: x, y: y, radius: radius)
      }
    elements.append(
      """
      <g class="event" data-line="\(line)" data-time="\(event.time)" data-mark="\(event.mark.escaped)">\
      <title>\(event.spoken.escaped) at \(event.time)</title>\(content)</g>
      """
    )
  }

  private func marble(_ mark: String, x: Double, y: Double, radius: Double) -> String {
    let fill = fills[mark] ?? (theme.box, theme.ink)
    return """
      <circle cx="\(x.short)" cy="\(y.short)" r="\(radius.short)" fill="\(fill.marble)" stroke="\(theme.ink)" \
      stroke-width="1.2"/><text x="\(x.short)" y="\((y + 4.5).short)" font-size="13" text-anchor="middle" \
      fill="\(fill.letter)">\(mark.escaped)</text>
      """
  }

  private func stroke(_ path: String, _ color: String, _ width: Int, dashes: String? = nil) -> String {
    """
    <path d="\(path)" fill="none" stroke="\(color)" stroke-width="\(width)"\
    \(dashes.map { " stroke-dasharray=\"\($0)\"" } ?? "")/>
    """
  }

  func svg(height: Double, description: String) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width.short)" height="\(height.short)" \
    viewBox="0 0 \(width.short) \(height.short)" role="img" font-family="\(Self.font)">
    <title>\(description.escaped)</title>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }
}

extension Double {

  /// The number without needless digits.
  fileprivate var short: String {
    self == rounded() ? String(Int(self)) : String(format: "%.1f", self)
  }
}

extension String {

  /// The text for the contents and the attributes of HTML and SVG.
  var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
