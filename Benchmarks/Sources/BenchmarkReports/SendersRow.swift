/// What one contestant gets through when eight threads send to one sink that takes a microsecond, and how long one of
/// them waits.
package struct SendersRow: Encodable, Sendable {

  package static let title = "subject → sink that takes 1 µs, eight threads at the subject"

  package let contestant: ContestantName

  /// Millions of values in a second.
  package let throughput: Double

  /// The longest that one send took, in milliseconds, in the middle of all rounds.
  package let longestWait: Double

  /// From each round.
  package init(_ contestant: ContestantName, throughput: [Double], longestWait: [Double]) {
    self.contestant = contestant
    self.throughput = throughput.median
    self.longestWait = longestWait.median
  }

  static func table(of rows: [SendersRow]) -> MarkdownTable {
    MarkdownTable(
      header: [title, "million/s", "longest wait of a send, ms"],
      rows: rows.map { [$0.contestant.title, $0.throughput.decimal(3), $0.longestWait.decimal(1)] },
      leading: 1
    )
  }
}

// MARK: The least that is asked for

extension SendersRow {

  /// The throughput, as a part of OpenCombine's.
  private static let partOfPeer = 0.8

  /// In milliseconds, with eight threads on two processors: each is off them for a time slice now and then.
  private static let patience = 100.0

  /// What is asked for and not reached; empty if all is well.
  static func failures(of rows: [SendersRow]) -> [Failure] {
    guard let ours = rows.first(where: { $0.contestant == .ours }) else { return [] }
    var failures: [Failure] = []
    if let peer = rows.first(where: { $0.contestant == .openCombine }),
      !(ours.throughput >= partOfPeer * peer.throughput)
    {
      let reached = (ours.throughput / peer.throughput).decimal(2)
      failures.append(Failure(.senders, "\(reached) times as many values a second as OpenCombine, not \(partOfPeer)"))
    }
    if !(ours.longestWait <= patience) {
      failures.append(Failure(.senders, "a send took \(ours.longestWait.decimal(1)) ms, more than \(patience)"))
    }
    return failures
  }
}
