import Scripts

/// A judge that runs scripts on both sides and decides whether the traces agree.
final class Judge {

  let ours: Contestant
  private let peers: [String: Contestant]
  private let sandbox: Sandbox

  /// - Parameter peers: The peers. The first one that has an entry runs it.
  init(ours: Contestant, peers: [Contestant], sandbox: Sandbox = Sandbox()) {
    self.ours = ours
    self.sandbox = sandbox
    self.peers = Dictionary(peers.flatMap { peer in peer.profiles.map { ($0.name, peer) } }) { first, _ in first }
  }

  /// Returns the peer that runs an entry, or `nil` if none has it.
  func peer(for entry: String) -> Contestant? { peers[entry] }

  enum Verdict {
    case same
    case explained(Int)
    case different(Difference)
    case unlawful(Play)

    /// Returns whether this is the same finding, so that minimizing a script does not turn it into another finding.
    func isSameKind(as other: Verdict) -> Bool {
      switch (self, other) {
      case (.same, .same), (.different, .different): true
      case (.explained(let one), .explained(let two)): one == two
      // The name of a law comes before the colon.
      case (.unlawful(let one), .unlawful(let two)):
        one.violations.first?.prefix { $0 != ":" } == two.violations.first?.prefix { $0 != ":" }
      default: false
      }
    }
  }

  /// Runs both sides, each in a separate process.
  func judge(_ script: Script) -> Verdict {
    let our = sandbox.play(script, ours)
    guard our.violations.isEmpty else { return .unlawful(our) }
    guard let peer = peer(for: script.entry) else { return .same }
    return compare(script, our.trace, with: peer)
  }

  /// Runs the peer, as often as the entry allows, until no unexplained difference is left.
  private func compare(_ script: Script, _ ours: [String], with peer: Contestant) -> Verdict {
    let count = ExplainedDifference.attemptCount(for: script.entry)
    var attempt = 0
    while true {
      // The runs continue in that process. Only a trap requires a new one.
      let their = sandbox.play(script, peer, attempts: attempt..<count) { lines, attempt in
        ExplainedDifference.compare(script, ours: ours, theirs: lines, attempt: attempt).isDifferent
      }
      attempt = sandbox.lastAttempt
      switch ExplainedDifference.compare(script, ours: ours, theirs: their.trace, attempt: attempt) {
      case .same: return .same
      case .explained(let index): return .explained(index)
      case .different(let difference):
        attempt += 1
        if attempt >= count { return .different(difference) }
      }
    }
  }

  /// Returns the smallest script found with the same kind of verdict.
  func shrink(_ script: Script) -> (Script, Verdict) {
    let verdict = judge(script)
    let smallest = Shrinker.shrink(script) { self.judge($0).isSameKind(as: verdict) }
    return (smallest, judge(smallest))
  }
}
