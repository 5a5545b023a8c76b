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

  /// Whether the peer leaves out the callback that differs, and goes on with what follows it.
  var isLeftOutByPeer: Bool {
    guard ours.indices.contains(commonCount) else { return false }
    let depth = Self.depth(ours[commonCount])
    let following = ours[(commonCount + 1)...].first { Self.depth($0) <= depth && !$0.contains(" returns ") }
    return following == theirs.dropFirst(commonCount).first
  }

  private func line(_ lines: [String]) -> Substring {
    lines.indices.contains(commonCount) ? lines[commonCount].drop { $0 == " " } : ""
  }
}

// MARK: Who acts

extension Difference {

  /// Returns the actor of a line, which is its first word after the time.
  static func actor(_ line: some StringProtocol) -> Substring {
    Substring(line).split(separator: " ").first { !$0.hasSuffix(":") } ?? ""
  }

  var ourActor: Substring { Self.actor(firstOfOurs) }

  var theirActor: Substring { Self.actor(firstOfTheirs) }

  /// Whether a source has ended or was cancelled before the difference.
  func isOver(_ source: Substring) -> Bool {
    common.contains { Self.actor($0) == source && ($0.hasSuffix("is cancelled") || $0.isEnd) }
  }

  /// Whether the last event of a source, before the difference, is one that no lawful source sends: it comes before the
  /// source's subscription, or after its end.
  var endsWithEventOutOfTurn: Bool {
    guard let last = common.lastIndex(where: { $0.isEnd || $0.contains(" sends ") }) else { return false }
    let earlier = common[..<last].filter { Self.actor($0) == Self.actor(common[last]) }
    return !earlier.contains { $0.contains(" gives subscription ") } || earlier.contains(where: \.isEnd)
  }
}

extension String {

  /// Whether a source completes.
  var isEnd: Bool {
    hasSuffix(" finishes") || contains(" fails with ")
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
