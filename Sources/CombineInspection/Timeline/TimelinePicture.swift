/// A marble diagram of a timeline as SVG.
struct TimelinePicture {

  let columns: TimelineColumns
  let width: Int

  private let rowHeight = 48
  private let left = 160

  init(_ columns: TimelineColumns, width: Int) {
    self.columns = columns
    self.width = width
  }

  var svg: String {
    let height = rowHeight * columns.lines.count + 16
    let rows = columns.lines.enumerated().map { row($0.offset, $0.element) }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
      font-family="system-ui, sans-serif" font-size="12">
      <style>
      svg { background: #fff; color: #1d1d1f }
      line, .end { stroke: currentColor; stroke-width: 1.5; fill: none }
      circle { fill: #9ecbff; stroke: #0b4f9e }
      .failure { stroke: #b3261e; stroke-width: 2.5 }
      text { fill: currentColor }
      @media (prefers-color-scheme: dark) {
        svg { background: #1d1d1f; color: #f5f5f7 }
        circle { fill: #0b4f9e; stroke: #9ecbff }
        .failure { stroke: #ff8a80 }
      }
      </style>
      \(rows.joined(separator: "\n"))
      </svg>
      """
  }

  private func row(_ index: Int, _ line: TimelineColumns.Line) -> String {
    let y = rowHeight * index + 32
    let last = line.marks.last.flatMap { "|#!".contains($0.mark) ? x(column: $0.column) : nil } ?? Double(width - 16)
    let label = Self.escaped(line.track.label)
    var parts = [
      "<g class=\"track\"><text x=\"8\" y=\"\(y + 4)\">\(label)</text>",
      "<line x1=\"\(Self.number(x(column: line.start)))\" y1=\"\(y)\" x2=\"\(Self.number(last))\" y2=\"\(y)\"/>",
    ]
    parts += line.marks.map { mark($0, y: y) }
    return parts.joined(separator: "\n") + "</g>"
  }

  private func mark(_ mark: TimelineColumns.Mark, y: Int) -> String {
    let x = Self.number(x(column: mark.column))
    let title = "<title>\(Self.escaped(mark.text)), \(Self.escaped(mark.time.inSeconds))</title>"
    switch mark.mark {
    case "|": return "<path class=\"end\" d=\"M\(x) \(y - 10)V\(y + 10)\">\(title)</path>"
    case "!": return "<path class=\"end\" stroke-dasharray=\"3\" d=\"M\(x) \(y - 10)V\(y + 10)\">\(title)</path>"
    case "#":
      return "<path class=\"end failure\" transform=\"translate(\(x) \(y))\" d=\"M-6 -6L6 6M-6 6L6 -6\">\(title)</path>"
    default:
      let text = Self.escaped(String(mark.text.prefix(12)))
      return "<g><circle cx=\"\(x)\" cy=\"\(y)\" r=\"6\">\(title)</circle>"
        + "<text x=\"\(x)\" y=\"\(y - 11)\" text-anchor=\"middle\">\(text)</text></g>"
    }
  }

  private func x(column: Int) -> Double {
    Double(left) + Double(width - left - 16) * (Double(column) + 0.5) / 1000
  }

  private static func number(_ value: Double) -> String {
    "\((value * 10).rounded() / 10)"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
    return result
  }
}
