/// The events of a timeline that a marble diagram shows, in columns of equal time.
struct TimelineColumns {

  struct Mark {
    let time: Duration
    let column: Int
    let mark: Character
    let text: String
  }

  struct Line {
    let track: Timeline.Track

    /// The column of the subscription. It is 0 if that was before the earliest event.
    let start: Int

    let marks: [Mark]
  }

  let lines: [Line]

  /// The time of a column.
  let step: Duration

  /// - Parameter width: The number of columns.
  init(_ timeline: Timeline, width: Int) {
    let width = max(1, width)
    let shown = timeline.events.filter { Self.mark($0.kind) != nil || $0.kind == .subscribed }
    let start = shown.first?.time ?? .zero
    let length = (shown.last?.time ?? start) - start
    let step = max(length / width, .nanoseconds(1))
    self.step = step
    var letters = ValueLetters()
    func column(_ event: Timeline.Event) -> Int { min(width - 1, Int(((event.time - start) / step).rounded(.down))) }
    lines = timeline.tracks.compactMap { track in
      let events = shown.filter { $0.track == track.id }
      guard !events.isEmpty else { return nil }
      let marks = events.compactMap { event -> Mark? in
        guard let mark = Self.mark(event.kind) else { return nil }
        let letter = mark.character ?? letters.letter(of: mark.text)
        return Mark(time: event.time - start, column: column(event), mark: letter, text: mark.text)
      }
      let subscribed = events.first { $0.kind == .subscribed }.map(column)
      return Line(track: track, start: subscribed ?? 0, marks: marks)
    }
  }

  /// The mark of an event, without a character for a value. `nil` for what a marble diagram does not show.
  private static func mark(_ kind: Timeline.Event.Kind) -> (character: Character?, text: String)? {
    switch kind {
    case .value(let text, _): (nil, text)
    case .finished: ("|", "finished")
    case .failed(let error): ("#", error)
    case .cancelled: ("!", "cancelled")
    case .subscribed, .requested, .returned, .released: nil
    }
  }
}

/// One letter for each different value. A value of one letter or digit stands for itself.
struct ValueLetters {

  private static let all = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  private(set) var texts: [String: Character] = [:]
  private var next = 0

  mutating func letter(of text: String) -> Character {
    if text.count == 1, let character = text.first, character.isLetter || character.isNumber { return character }
    if let letter = texts[text] { return letter }
    let letter = next < Self.all.count ? Self.all[next] : "*"
    next += 1
    texts[text] = letter
    return letter
  }
}

extension Timeline {

  /// Returns a marble diagram in text: one line for each subscription, with time from left to right.
  ///
  /// A letter stands for a value, and the legend names it. `|` is a finish, `#` a failure, `!` a cancellation. Events of one
  /// column are in parentheses.
  ///
  /// - Parameter width: The number of columns for the time.
  /// - Returns: The diagram, with its legend and the time of a column.
  public func marbles(width: Int = 60) -> String {
    let columns = TimelineColumns(self, width: width)
    let nameWidth = columns.lines.map(\.track.label.count).max() ?? 0
    var legend: [(Character, String)] = []
    var text = columns.lines.map { line -> String in
      var cells = [String](repeating: " ", count: line.start)
      cells += [String](repeating: "-", count: max(1, width) - line.start)
      for (column, marks) in Dictionary(grouping: line.marks, by: \.column) {
        let letters = String(marks.map(\.mark))
        cells[column] = marks.count == 1 ? letters : "(\(letters))"
      }
      for mark in line.marks
      where String(mark.mark) != mark.text && !"|!".contains(mark.mark)
        && !legend.contains(where: { $0.0 == mark.mark && $0.1 == mark.text })
      {
        legend.append((mark.mark, mark.text))
      }
      // Nothing happens behind the last mark.
      let end = (line.marks.last?.column).map { "|#!".contains(line.marks.last!.mark) ? $0 + 1 : cells.count }
      let padding = String(repeating: " ", count: nameWidth - line.track.label.count)
      return "\(line.track.label)\(padding)  \(cells.prefix(end ?? cells.count).joined())"
    }
    text += legend.map { "  \($0.0) = \($0.1)" }
    let step = columns.step < .milliseconds(1) ? "less than 1 ms" : columns.step.inSeconds
    text.append("  one column is \(step)")
    return text.joined(separator: "\n")
  }

  /// Returns a marble diagram as a picture in SVG, with light and dark colours.
  ///
  /// A circle is a value, with its description. A bar is a finish, a cross a failure, a hollow bar a cancellation.
  ///
  /// - Parameter width: The width of the picture in points.
  /// - Returns: The SVG document.
  public func svg(width: Int = 800) -> String {
    TimelinePicture(TimelineColumns(self, width: 1000), width: max(200, width)).svg
  }
}

extension Timeline.Track {

  var label: String { "\(name) #\(id)" }
}
