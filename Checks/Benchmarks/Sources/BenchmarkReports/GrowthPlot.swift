import Foundation

/// A plot in SVG of growing costs, side by side. Both axes are logarithmic, so linear growth is a line as steep as the
/// dashed ones.
package struct GrowthPlot {

  private let growths: [Growth]

  package init(_ growths: [Growth]) {
    self.growths = growths
  }

  private static let panel = (width: 440.0, height: 380.0)

  /// The colours of Okabe and Ito, which are distinguishable with every kind of colour vision.
  private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]

  package var svg: String {
    let width = Self.panel.width * Double(growths.count)
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width.decimal(0)) \(Self.panel.height.decimal(0))\" "
        + "font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
    ]
    for (index, growth) in growths.enumerated() {
      lines.append("<g transform=\"translate(\((Double(index) * Self.panel.width).decimal(0)) 0)\">")
      lines += Panel(growth).elements
      lines.append("</g>")
    }
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  /// One of the plots.
  private struct Panel {

    let growth: Growth
    let horizontal: Axis
    let vertical: Axis

    init(_ growth: Growth) {
      self.growth = growth
      let points = growth.curves.flatMap(\.points)
      horizontal = Axis(points.map { Double($0.amount) }, from: 64, to: GrowthPlot.panel.width - 24)
      vertical = Axis(points.map(\.cost), from: GrowthPlot.panel.height - 56, to: 44)
    }

    var elements: [String] {
      [text(growth.title, 24, (horizontal.start + horizontal.end) / 2, weight: "bold")]
        + grid + guides + growth.curves.indices.flatMap(curve) + legend
    }

    private var grid: [String] {
      var elements: [String] = []
      for amount in growth.curves.first?.points.map(\.amount) ?? [] {
        let x = horizontal.position(of: Double(amount))
        elements.append(line((x, vertical.start), (x, vertical.end), "stroke=\"#ddd\""))
        elements.append(text(String(amount), vertical.start + 16, x))
      }
      for power in vertical.powers {
        let y = vertical.position(of: power)
        elements.append(line((horizontal.start, y), (horizontal.end, y), "stroke=\"#ddd\""))
        elements.append(text(power.decimal(power < 1 ? 1 : 0), y + 4, horizontal.start - 6, anchor: "end"))
      }
      let middle = ((vertical.start + vertical.end) / 2).decimal(1)
      elements.append(text(growth.amount, vertical.start + 38, (horizontal.start + horizontal.end) / 2))
      elements.append(
        "<text transform=\"translate(16 \(middle)) rotate(-90)\" text-anchor=\"middle\">\(growth.cost)</text>"
      )
      return elements
    }

    /// The lines that show linear growth from the first point of each curve.
    private var guides: [String] {
      growth.curves.compactMap { curve in
        guard let first = curve.points.first, let last = curve.points.last else { return nil }
        let cost = first.cost * Double(last.amount) / Double(first.amount)
        let reached = min(cost, vertical.maximum)
        let amount = Double(first.amount) * reached / first.cost
        return line(
          (horizontal.position(of: Double(first.amount)), vertical.position(of: first.cost)),
          (horizontal.position(of: amount), vertical.position(of: reached)),
          "stroke=\"#999\" stroke-dasharray=\"2 4\""
        )
      }
    }

    private func curve(_ index: Int) -> [String] {
      let colour = GrowthPlot.colours[index % GrowthPlot.colours.count]
      let positions = growth.curves[index].points.map {
        (horizontal.position(of: Double($0.amount)), vertical.position(of: $0.cost))
      }
      let path = positions.map { "\($0.decimal(1)),\($1.decimal(1))" }.joined(separator: " ")
      return ["<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>"]
        + positions.map { "<circle cx=\"\($0.decimal(1))\" cy=\"\($1.decimal(1))\" r=\"3.5\" fill=\"\(colour)\"/>" }
    }

    private var legend: [String] {
      growth.curves.enumerated().flatMap { index, curve in
        let colour = GrowthPlot.colours[index % GrowthPlot.colours.count]
        let y = vertical.end + 14 + 18 * Double(index)
        return [
          line((horizontal.start + 10, y), (horizontal.start + 34, y), "stroke=\"\(colour)\" stroke-width=\"2\""),
          text(curve.name, y + 4, horizontal.start + 40, anchor: "start"),
        ]
      }
    }

    private func line(_ from: (Double, Double), _ to: (Double, Double), _ style: String) -> String {
      "<line x1=\"\(from.0.decimal(1))\" y1=\"\(from.1.decimal(1))\" x2=\"\(to.0.decimal(1))\" "
        + "y2=\"\(to.1.decimal(1))\" \(style)/>"
    }

    private func text(
      _ content: String,
      _ y: Double,
      _ x: Double,
      anchor: String = "middle",
      weight: String = "normal"
    ) -> String {
      "<text x=\"\(x.decimal(1))\" y=\"\(y.decimal(1))\" text-anchor=\"\(anchor)\" "
        + "font-weight=\"\(weight)\">\(content)</text>"
    }
  }

  /// The positions of numbers between the two ends of a line.
  private struct Axis {

    let minimum: Double
    let maximum: Double
    let start: Double
    let end: Double

    init(_ numbers: [Double], from start: Double, to end: Double) {
      minimum = (numbers.min() ?? 1) / 1.2
      maximum = (numbers.max() ?? 10) * 1.2
      self.start = start
      self.end = end
    }

    func position(of number: Double) -> Double {
      start + (end - start) * log(number / minimum) / log(maximum / minimum)
    }

    /// The powers of ten within the axis.
    var powers: [Double] {
      let exponents = Int(log10(minimum).rounded(.up))...max(Int(log10(minimum).rounded(.up)), Int(log10(maximum)))
      return exponents.map { pow(10, Double($0)) }.filter { $0 <= maximum }
    }
  }
}
