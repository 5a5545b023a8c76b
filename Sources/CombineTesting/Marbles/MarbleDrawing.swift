/// Rows of events, drawn below each other with the same time in the same column.
struct MarbleDrawing {

  /// The content of one row: marks with their times, in order of time.
  typealias Line = [(time: Int, mark: Character)]

  /// The text of each row.
  private(set) var lines: [String]

  /// Whether each tick takes one column. If not, a group was wider than the time until the next event, and the rows
  /// have gaps after it.
  private(set) var isToScale = true

  /// The column of each event, row by row.
  private(set) var columns: [[Int]]

  /// Draws rows.
  ///
  /// - Parameters:
  ///   - rows: The rows to draw.
  ///   - times: The range of times that the drawing covers at least.
  init(_ rows: [Line], times: Range<Int>) {
    lines = rows.map { _ in "" }
    columns = rows.map { _ in [] }
    // For each row, the column up to which it is drawn, and the index of its next event.
    var ends = rows.map { _ in 0 }
    var nexts = rows.map(\.startIndex)
    let all = rows.joined().map(\.time)
    let start = min(times.lowerBound, all.min() ?? times.lowerBound)
    let end = max(times.upperBound, all.max().map { $0 + 1 } ?? times.upperBound)
    var column = 0
    for time in start..<end {
      let cells = rows.indices.map { row in rows[row][nexts[row]...].prefix { $0.time == time } }
      // A row with an event at this time may still be drawing the previous group.
      let free = rows.indices.map { cells[$0].isEmpty ? column : ends[$0] }.max() ?? column
      if free > column {
        isToScale = false
        column = free
      }
      for row in rows.indices {
        let cell = cells[row]
        let isOver = nexts[row] == rows[row].endIndex && rows[row].last.map { "|#!".contains($0.mark) } ?? false
        // A group covers the ticks of its columns, which need no dashes.
        guard !cell.isEmpty || (ends[row] <= column && !isOver) else { continue }
        lines[row] += String(repeating: " ", count: column - ends[row])
        let isGroup = cell.count > 1
        columns[row] += cell.indices.map { $0 - cell.startIndex + column + (isGroup ? 1 : 0) }
        let marks = cell.isEmpty ? "-" : String(cell.map(\.mark))
        lines[row] += isGroup ? "(\(marks))" : marks
        ends[row] = column + marks.count + (isGroup ? 2 : 0)
        nexts[row] = cell.endIndex
      }
      column += 1
    }
  }
}
