/// The throughput of one contestant when eight threads send to one sink that takes a microsecond, and the longest wait
/// of one of them.
package struct SendersRow: Encodable, Sendable {

  package static let title = "subject → sink that takes 1 µs, eight threads at the subject"

  package let contestant: ContestantName

  /// The throughput in millions of values per second.
  package let throughput: Double

  /// The longest time of one send, in milliseconds, as the median of all rounds.
  package let longestWait: Double

  /// Creates a row from the figures of each round.
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

// MARK: Floors

extension SendersRow {

  /// The smallest allowed throughput, as a part of OpenCombine's.
  private static let partOfPeer = 0.8

  /// The longest allowed wait in milliseconds. With eight threads on two processors, each thread loses a time slice
  /// sometimes.
  private static let patience = 100.0

  /// The broken promises, empty if there are none.
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
