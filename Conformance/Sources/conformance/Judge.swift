import Scripts

/// Plays scripts against both sides and says whether they agree.
final class Judge {

  let ours: Contestant
  private let peers: [String: Contestant]
  private let sandbox: Sandbox

  /// - Parameter peers: The first that has an entry plays it.
  init(ours: Contestant, peers: [Contestant], sandbox: Sandbox = Sandbox()) {
    self.ours = ours
    self.sandbox = sandbox
    self.peers = Dictionary(peers.flatMap { peer in peer.profiles.map { ($0.name, peer) } }) { first, _ in first }
  }

  /// Who plays an entry on the other side; nobody if no peer has it.
  func peer(for entry: String) -> Contestant? { peers[entry] }

  enum Verdict {
    case same
    case explained(Int)
    case different(Difference)
    case unlawful(Play)

    /// Whether this is the same finding, for making a script smaller without turning it into another finding.
    func isSameKind(as other: Verdict) -> Bool {
      switch (self, other) {
      case (.same, .same), (.different, .different): true
      case (.explained(let one), .explained(let two)): one == two
      // A law's name comes before the colon.
      case (.unlawful(let one), .unlawful(let two)):
        one.violations.first?.prefix { $0 != ":" } == two.violations.first?.prefix { $0 != ":" }
      default: false
      }
    }
  }

  /// Plays both sides, each in a process of its own.
  func judge(_ script: Script) -> Verdict {
    let our = sandbox.play(script, ours)
    guard our.violations.isEmpty else { return .unlawful(our) }
    guard let peer = peer(for: script.entry) else { return .same }
    return compare(script, our.trace, with: peer)
  }

  /// Lets the peer play, as often as the entry allows, until there is no difference that is not explained.
  private func compare(_ script: Script, _ ours: [String], with peer: Contestant) -> Verdict {
    let count = ExplainedDifference.attemptCount(for: script.entry)
    var attempt = 0
    while true {
      // Goes on in that process; only a trap makes another necessary.
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

  /// The smallest script found with the same kind of verdict.
  func shrink(_ script: Script) -> (Script, Verdict) {
    let verdict = judge(script)
    let smallest = Shrinker.shrink(script) { self.judge($0).isSameKind(as: verdict) }
    return (smallest, judge(smallest))
  }
}
