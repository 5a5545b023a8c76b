/// An event of a row, in the form in which it is shown.
struct MarbleMoment: Equatable {

  /// The number of ticks since the subscription.
  var time: Int

  /// The character that stands for it in a diagram.
  var mark: Character

  /// A description of the event.
  var text: String

  /// Whether the event is known to differ from the expected one, even if it looks the same.
  var isUnexpected = false
}

extension MarbleMoment {

  /// Creates the moment of a mark as a diagram states it.
  init(_ mark: MarbleDiagram.Mark, at time: Int) {
    self.init(time: time, mark: mark.character, text: mark.name)
  }
}

extension MarbleDiagram {

  /// The events, as the diagram states them.
  var moments: [MarbleMoment] { events.map { MarbleMoment($0.mark, at: $0.time) } }
}

extension MarbleDiagram.Mark {

  /// The name of the mark.
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

/// A comparison of two rows of events that should be equal.
struct MarbleComparison {

  let expected: [MarbleMoment]
  let actual: [MarbleMoment]

  /// The range of times in the expected diagram.
  let times: Range<Int>

  /// The index of the first pair that differs, or of the first event without a counterpart.
  let firstDifference: Int?

  /// Compares two rows.
  ///
  /// - Parameters:
  ///   - expected: The expected row.
  ///   - actual: The actual row.
  ///   - times: The range of times in the expected diagram.
  init(expected: [MarbleMoment], actual: [MarbleMoment], times: Range<Int>) {
    self.expected = expected
    self.actual = actual
    self.times = times
    let common = zip(expected, actual).enumerated().first { $1.0 != $1.1 }?.offset
    firstDifference = common ?? (expected.count == actual.count ? nil : min(expected.count, actual.count))
  }

  /// A drawing of both rows that marks and describes the first difference, or `nil` if there is none.
  var picture: String? {
    guard let index = firstDifference else { return nil }
    let rows = [expected, actual]
    let drawing = MarbleDrawing(rows.map { $0.map { ($0.time, $0.mark) } }, times: times)
    // The earlier of the two events. If both have the same time, the actual one.
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
