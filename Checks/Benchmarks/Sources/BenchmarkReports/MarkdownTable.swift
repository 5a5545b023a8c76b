import Foundation

/// A table in Markdown with aligned columns.
package struct MarkdownTable {

  package let header: [String]
  package let rows: [[String]]

  /// The number of columns with words, from the left. The rest hold numbers.
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

  /// Formats the number with a number of decimal digits.
  package func decimal(_ digits: Int) -> String {
    String(format: "%.\(digits)f", self)
  }
}

extension Optional where Wrapped == Double {

  /// Formats the number with a number of decimal digits, or as a dash.
  package func decimal(_ digits: Int) -> String {
    self?.decimal(digits) ?? "–"
  }

  /// The shortest form of the number, or a dash.
  package var amount: String {
    guard let self else { return "–" }
    return self == self.rounded() ? self.decimal(0) : String(format: "%.3g", self)
  }
}
