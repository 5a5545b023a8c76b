import Scripts
import StageOurs

/// A difference that `Documentation/Specification` decides, with the rule that recognizes it.
struct ExplainedDifference: Sendable {

  /// A short name for reports.
  var name: String

  /// The entries of the catalogue in which it occurs.
  var entries: Set<String>

  /// The reason why ours is right, with the row of the specification.
  var reason: String

  var rule: Rule

  enum Rule: Sendable {

    /// Recognized by the first line that differs, so that an explanation covers one difference and not its
    /// consequences.
    case first(@Sendable (Difference) -> Bool)

    /// Successive lines of the same depth that contain one of these texts may come in any order, each with the lines
    /// inside it. The rest is compared.
    case anyOrder([String])

    /// The order in which the peer serves its subscribers changes from run to run. The peer runs the script again, with
    /// its objects at other addresses, until both traces are equal in full.
    case anyPlay
  }

  init(_ name: String, in entries: Set<String>, because reason: String, _ rule: Rule) {
    self.name = name
    self.entries = entries
    self.reason = reason
    self.rule = rule
  }

  /// All explained differences. No other difference is allowed.
  static let all = elementwise + mixing + timing + sources + extras

  /// Returns the entries of the catalogue whose names are meant.
  static func entries(_ isMeant: (String) -> Bool) -> Set<String> {
    Set(Contestant.ours.profiles.map(\.name).filter(isMeant))
  }
}

extension ExplainedDifference {

  /// The result of comparing two traces.
  enum Comparison {
    case same
    case explained(Int)
    case different(Difference)

    var isDifferent: Bool {
      if case .different = self { true } else { false }
    }
  }

  /// Returns the maximum number of the peer's runs for a script of this entry.
  static func attemptCount(for entry: String) -> Int {
    anyPlay(for: entry) == nil ? 1 : 600
  }

  private static func anyPlay(for entry: String) -> Int? {
    all.firstIndex {
      guard case .anyPlay = $0.rule else { return false }
      return $0.entries.contains(entry)
    }
  }

  /// Compares a trace of ours with one of the peer.
  ///
  /// - Parameter attempt: The number of the peer's earlier runs.
  static func compare(_ script: Script, ours: [String], theirs: [String], attempt: Int) -> Comparison {
    let comparison = compare(script, ours: ours, theirs: theirs)
    guard case .same = comparison, attempt > 0, let explanation = anyPlay(for: script.entry) else { return comparison }
    return .explained(explanation)
  }

  private static func compare(_ script: Script, ours: [String], theirs: [String]) -> Comparison {
    if ours == theirs { return .same }
    var ours = ours
    var theirs = theirs
    var lastReordered: Int?
    for (index, difference) in all.enumerated() where difference.entries.contains(script.entry) {
      guard case .anyOrder(let texts) = difference.rule else { continue }
      sortRuns(in: &ours, of: texts)
      sortRuns(in: &theirs, of: texts)
      lastReordered = index
    }
    guard let difference = Difference(script: script, ours: ours, theirs: theirs) else {
      return .explained(lastReordered!)
    }
    let explanation = all.firstIndex {
      guard case .first(let matches) = $0.rule else { return false }
      return $0.entries.contains(script.entry) && matches(difference)
    }
    return explanation.map { .explained($0) } ?? .different(difference)
  }

  /// Sorts successive lines of the same depth that contain one of the texts. The lines inside a line move with it.
  private static func sortRuns(in lines: inout [String], of texts: [String]) {
    lines = sorted(lines[...], texts)
  }

  private static func sorted(_ lines: ArraySlice<String>, _ texts: [String]) -> [String] {
    var result: [String] = []
    var run: [[String]] = []

    func endRun() {
      result += run.sorted { $0.lexicographicallyPrecedes($1) }.joined()
      run = []
    }

    var rest = lines
    var lastDepth: Int?
    while let head = rest.popFirst() {
      let depth = head.prefix { $0 == " " }.count
      let below = rest.prefix { $0.prefix { $0 == " " }.count > depth }
      rest = rest.dropFirst(below.count)
      let block = [head] + sorted(below, texts)
      let isInAnyOrder = texts.contains { head.contains($0) }
      if !isInAnyOrder || depth != lastDepth { endRun() }
      if isInAnyOrder { run.append(block) } else { result += block }
      lastDepth = depth
    }
    endRun()
    return result
  }
}
