import Scripts

/// The first difference between two traces of one script.
struct Difference {

  let script: Script
  let ours: [String]
  let theirs: [String]

  /// The number of equal lines at the start.
  let commonCount: Int

  /// Creates a difference, or returns `nil` if the traces are equal.
  init?(script: Script, ours: [String], theirs: [String]) {
    guard ours != theirs else { return nil }
    self.script = script
    self.ours = ours
    self.theirs = theirs
    commonCount = zip(ours, theirs).prefix { $0 == $1 }.count
  }

  /// The common lines before the difference.
  var common: ArraySlice<String> { ours[..<commonCount] }

  /// The first line that differs, on each side, without its indentation. It is empty if there is none.
  var firstOfOurs: Substring { line(ours) }
  var firstOfTheirs: Substring { line(theirs) }

  private func line(_ lines: [String]) -> Substring {
    lines.indices.contains(commonCount) ? lines[commonCount].drop { $0 == " " } : ""
  }
}

// MARK: Lines inside others

extension Difference {

  /// Returns the depth of a line, which is two more for each enclosing callback.
  static func depth(_ line: some StringProtocol) -> Int { line.prefix { $0 == " " }.count }

  /// Returns the callbacks around a common line, the innermost first.
  func ancestors(of index: Int) -> [String] {
    var depth = Self.depth(common[index])
    var ancestors: [String] = []
    for line in common[..<index].reversed() where Self.depth(line) < depth {
      depth = Self.depth(line)
      ancestors.append(line)
    }
    return ancestors
  }

  /// Returns the lines inside the callback at an index.
  func inside(_ index: Int) -> ArraySlice<String> {
    let depth = Self.depth(common[index])
    return common[(index + 1)...].prefix { Self.depth($0) > depth }
  }
}

extension Difference: CustomStringConvertible {

  var description: String {
    var text = common.map { "      \($0)\n" }.joined()
    text += ours[commonCount...].map { "ours  \($0)\n" }.joined()
    text += theirs[commonCount...].map { "peer  \($0)\n" }.joined()
    return text
  }
}
