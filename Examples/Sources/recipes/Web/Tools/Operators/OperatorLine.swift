/// The events of an input, as a person has placed them.
///
/// In a link, each character is a stride: `-` is nothing, a letter or digit a value, `~` the finish, and `*` the failure.
/// Events at the same time are in parentheses, which take one stride: `a--(bc)--~`. The characters of diagrams, `|` and
/// `#`, are accepted too, but many programs would cut a link there.
struct OperatorLine: Equatable {

  /// An event: a letter, `|` or `#`.
  struct Event: Equatable {

    /// The number of strides since the subscription.
    let time: Int

    let mark: Character
  }

  private(set) var events: [Event] = []

  static let mostEvents = 40
  static let strides = 200

  /// Parses a line.
  ///
  /// - Parameters:
  ///   - text: The line as it stands in a link.
  ///   - letters: The names that marbles may have.
  ///   - name: The name of the line, for errors.
  init(_ text: String, letters: String, name: String) throws(BadRequest) {
    // No line needs more: a group has two parentheses.
    guard text.utf8.count <= Self.strides + 3 * Self.mostEvents else { throw BadRequest("line \(name) is too long") }
    var time = 0
    var isInGroup = false
    for character in text {
      switch character {
      case "(" where !isInGroup:
        isInGroup = true
        continue
      case ")" where isInGroup:
        isInGroup = false
      case "-" where !isInGroup:
        break
      case "-", "(", ")":
        throw BadRequest("line \(name): the parentheses do not match")
      default:
        try add(character, at: time, letters, name)
      }
      if !isInGroup { time += 1 }
    }
    if isInGroup { throw BadRequest("line \(name): a parenthesis is open") }
  }

  private mutating func add(_ character: Character, at time: Int, _ letters: String, _ name: String) throws(BadRequest)
  {
    let mark: Character =
      switch character {
      case "~": "|"
      case "*": "#"
      default: character
      }
    guard mark == "|" || mark == "#" || letters.contains(mark) else {
      throw BadRequest("line \(name): ‘\(mark)’ is none of \(letters)")
    }
    if let last = events.last, last.mark == "|" || last.mark == "#" {
      throw BadRequest("line \(name): nothing can follow its end")
    }
    guard time < Self.strides else { throw BadRequest("line \(name) has more than \(Self.strides) strides") }
    guard events.count < Self.mostEvents else {
      throw BadRequest("line \(name) has more than \(Self.mostEvents) events")
    }
    events.append(Event(time: time, mark: mark))
  }
}

/// A row of events on its way to a diagram of a marble test.
struct OperatorDiagram {

  /// The marks of each time, in order.
  private var groups: [(time: Int, marks: String)] = []

  init(_ events: some Sequence<(time: Int, mark: Character)>) {
    for (time, mark) in events {
      if groups.last?.time == time {
        groups[groups.count - 1].marks.append(mark)
      } else {
        groups.append((time, String(mark)))
      }
    }
  }

  /// The number of columns that a unit of time needs, so that each group ends before the next event.
  var columns: Int {
    zip(groups, groups.dropFirst()).map { group, next in
      let duration = next.time - group.time
      return (width(of: group.marks) + duration - 1) / duration
    }.max() ?? 1
  }

  private func width(of marks: String) -> Int { marks.count == 1 ? 1 : marks.count + 2 }

  /// Returns the text of the diagram.
  ///
  /// - Parameters:
  ///   - scale: The number of columns of a unit of time.
  ///   - end: The time to which an open line goes on.
  func text(scale: Int, openUntil end: Int) -> String {
    var text = ""
    for (time, marks) in groups {
      text += String(repeating: "-", count: time * scale - text.count)
      text += marks.count == 1 ? marks : "(\(marks))"
    }
    let isOpen = groups.last?.marks.last.map { !"|#!".contains($0) } ?? true
    return isOpen ? text + String(repeating: "-", count: max(0, end * scale - text.count)) : text
  }
}
