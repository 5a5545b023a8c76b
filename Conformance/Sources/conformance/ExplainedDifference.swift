import Scripts

/// A difference that the law (`shared/spec`) decides, and how it is recognised.
struct ExplainedDifference: Sendable {

  /// A short name for reports.
  var name: String

  /// The entries of the catalogue in which it is seen.
  var entries: Set<String>

  /// Why ours is right: what the specification says, and where.
  var reason: String

  var rule: Rule

  enum Rule: Sendable {

    /// Recognised by the first line that is not equal, so that an explanation explains one thing and not whatever
    /// follows from it.
    case first(@Sendable (Difference) -> Bool)

    /// Lines that follow one another at one depth and hold one of these texts come in any order, each with what happens
    /// inside it. The rest is compared.
    case anyOrder([String])

    /// The peer serves those it has to serve in an order that changes from play to play. It plays the script again,
    /// with its objects at other addresses, until both traces are equal, all of them.
    case anyPlay
  }

  init(_ name: String, in entries: Set<String>, because reason: String, _ rule: Rule) {
    self.name = name
    self.entries = entries
    self.reason = reason
    self.rule = rule
  }

  /// All of them. Nothing else may differ.
  static let all = elementwise + mixing + timing + sources
}

extension ExplainedDifference {

  /// What two traces come to.
  enum Comparison {
    case same
    case explained(Int)
    case different(Difference)

    var isDifferent: Bool {
      if case .different = self { true } else { false }
    }
  }

  /// How often the peer may play a script of this entry.
  static func attemptCount(for entry: String) -> Int {
    anyPlay(for: entry) == nil ? 1 : 600
  }

  private static func anyPlay(for entry: String) -> Int? {
    all.firstIndex {
      guard case .anyPlay = $0.rule else { return false }
      return $0.entries.contains(entry)
    }
  }

  /// Compares a trace of ours with one that the peer left.
  ///
  /// - Parameter attempt: How often the peer had played before.
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

  /// Sorts neighbouring lines of one depth that hold one of the texts. The lines below a line go with it.
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
