/// What idle subscriptions to one subject cost: so many of them, of one contestant.
package struct CrowdRow: Encodable, Sendable {

  package let contestant: ContestantName
  package let count: Int

  /// Bytes of the heap, and blocks of it, for each subscription.
  package var bytes: Double?
  package var blocks: Double?

  /// Nanoseconds for each subscription.
  package var subscribing: Double
  package var cancellingForward: Double
  package var cancellingBackward: Double
  package var cancellingAtRandom: Double

  package init(
    contestant: ContestantName,
    count: Int,
    bytes: Double? = nil,
    blocks: Double? = nil,
    subscribing: Double,
    cancellingForward: Double,
    cancellingBackward: Double,
    cancellingAtRandom: Double
  ) {
    self.contestant = contestant
    self.count = count
    self.bytes = bytes
    self.blocks = blocks
    self.subscribing = subscribing
    self.cancellingForward = cancellingForward
    self.cancellingBackward = cancellingBackward
    self.cancellingAtRandom = cancellingAtRandom
  }

  static func table(of rows: [CrowdRow]) -> MarkdownTable {
    MarkdownTable(
      header: [
        "idle subscriptions", "of", "bytes each", "blocks each", "subscribing, ns each", "cancelling in order",
        "in reverse", "at random",
      ],
      rows: rows.map { row in
        [
          String(row.count), row.contestant.title, row.bytes.decimal(0), row.blocks.decimal(2),
          row.subscribing.decimal(0), row.cancellingForward.decimal(0), row.cancellingBackward.decimal(0),
          row.cancellingAtRandom.decimal(0),
        ]
      },
      leading: 2
    )
  }
}

// MARK: The least that is asked for

extension CrowdRow {

  /// A subscription may take this part of the bytes that OpenCombine's takes.
  private static let partOfBytes = 0.5

  /// With ten times the crowd each may take this much longer: what caches cost. Were it quadratic, it would be ten.
  private static let growth = 3.0

  /// What is asked for and not reached; empty if all is well.
  static func failures(of rows: [CrowdRow]) -> [Failure] {
    var failures: [String] = []
    let ours = rows.filter { $0.contestant == .ours }.sorted { $0.count < $1.count }
    for row in ours {
      guard let peer = rows.first(where: { $0.contestant == .openCombine && $0.count == row.count }) else { continue }
      guard let bytes = row.bytes, let peersBytes = peer.bytes else {
        failures.append("bytes cannot be counted on this platform")
        continue
      }
      if bytes > partOfBytes * peersBytes {
        failures.append(
          "\(bytes.decimal(0)) bytes each of \(row.count), more than half of \(peersBytes.decimal(0))"
        )
      }
    }
    for (few, many) in zip(ours, ours.dropFirst()) {
      let limit = growth * Double(many.count) / Double(few.count) / 10
      let costs: KeyValuePairs<String, KeyPath<CrowdRow, Double>> = [
        "subscribing": \.subscribing, "cancelling in order": \.cancellingForward,
        "cancelling in reverse": \.cancellingBackward, "cancelling at random": \.cancellingAtRandom,
      ]
      for (what, cost) in costs where many[keyPath: cost] > limit * few[keyPath: cost] {
        failures.append(
          "\(what) takes \(many[keyPath: cost].decimal(0)) ns each of \(many.count), "
            + "\(few[keyPath: cost].decimal(0)) ns each of \(few.count)"
        )
      }
    }
    return failures.map { Failure(.crowds, $0) }
  }
}
