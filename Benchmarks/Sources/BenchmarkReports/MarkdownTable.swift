import Foundation

/// A table in Markdown, its columns aligned.
package struct MarkdownTable {

  package let header: [String]
  package let rows: [[String]]

  /// How many columns, from the left, hold words; the rest hold numbers.
  package let leading: Int

  package init(header: [String], rows: [[String]], leading: Int = 1) {
    self.header = header
    self.rows = rows
    self.leading = leading
  }

  package var text: String {
    let widths = header.indices.map { column in ([header] + rows).map(\.[column].count).max() ?? 0 }
    let rule = widths.enumerated().map { column, width in
      column < leading ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return ([header, rule] + rows).map { cells in
      let padded = cells.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return column < leading ? cell + padding : padding + cell
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}

extension Double {

  /// With so many digits after the point.
  package func decimal(_ digits: Int) -> String {
    String(format: "%.\(digits)f", self)
  }
}

extension Optional where Wrapped == Double {

  /// With so many digits after the point, or a dash.
  package func decimal(_ digits: Int) -> String {
    self?.decimal(digits) ?? "–"
  }

  /// As short as it can be told, or a dash.
  package var amount: String {
    guard let self else { return "–" }
    return self == self.rounded() ? self.decimal(0) : String(format: "%.3g", self)
  }
}
