/// One event of a row, ready to be shown.
struct MarbleMoment: Equatable {

  /// The number of ticks since the subscription.
  var time: Int

  /// How it is drawn.
  var mark: Character

  /// What it is.
  var text: String

  /// Whether it is known to be another than the expected one, though it may look the same.
  var isUnexpected = false
}

extension MarbleDiagram.Mark {

  /// What it is, for all but values.
  var name: String {
    switch self {
    case .value(let letter): "value \(letter)"
    case .finish: "finished"
    case .failure: "failure"
    case .subscription: "subscription"
    case .cancellation: "cancellation"
    }
  }
}

/// Two rows of events that should be equal.
struct MarbleComparison {

  let expected: [MarbleMoment]
  let actual: [MarbleMoment]

  /// The times that the expected diagram draws.
  let times: Range<Int>

  /// The index of the first pair that differs, or of the first event without a partner.
  let firstDifference: Int?

  /// Compares two rows.
  ///
  /// - Parameters:
  ///   - expected: The row as it should be.
  ///   - actual: The row as it is.
  ///   - times: The times that the expected diagram draws.
  init(expected: [MarbleMoment], actual: [MarbleMoment], times: Range<Int>) {
    self.expected = expected
    self.actual = actual
    self.times = times
    let common = zip(expected, actual).enumerated().first { $1.0 != $1.1 }?.offset
    firstDifference = common ?? (expected.count == actual.count ? nil : min(expected.count, actual.count))
  }

  /// Both rows, one above the other, with the first difference marked and spelt out.
  var picture: String? {
    guard let index = firstDifference else { return nil }
    let rows = [expected, actual]
    let drawing = MarbleDrawing(rows.map { $0.map { ($0.time, $0.mark) } }, times: times)
    // The earlier of the two; of one time, the actual one.
    let candidates = [1, 0].filter { rows[$0].indices.contains(index) }
    let row = candidates.min { rows[$0][index].time < rows[$1][index].time }!
    let column = drawing.columns[row][index]
    let titles = ["  expected: ", "  actual:   "]
    let texts = zip(titles, rows).map { title, row in
      row.indices.contains(index) ? "\(title)\(row[index].text) at \(row[index].time)" : "\(title)nothing more"
    }
    return """
      \(titles[0])\(drawing.lines[0])
      \(titles[1])\(drawing.lines[1])
      \(String(repeating: " ", count: titles[0].count + column))^
      \(texts.joined(separator: "\n"))\
      \(drawing.isToScale ? "" : "\n  (The gaps take no time: there is more at one time than there is room for.)")
      """
  }
}
