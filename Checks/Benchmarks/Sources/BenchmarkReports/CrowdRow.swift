/// The cost of a number of idle subscriptions to one subject, for one contestant.
package struct CrowdRow: Encodable, Sendable {

  package let contestant: ContestantName
  package let count: Int

  /// The bytes and the blocks of the heap for each subscription.
  package var bytes: Double?
  package var blocks: Double?

  /// The nanoseconds for each subscription.
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

// MARK: Floors

extension CrowdRow {

  /// The largest allowed part of the bytes of OpenCombine's subscription.
  ///
  /// A sink has a lock, and a gate for elements from elsewhere. The subscription knows what it has of a current value.
  private static let partOfBytes = 0.6

  /// The largest allowed factor for the time with ten times the crowd. Caches cause it: 4.5 where 10,000 subscriptions fit
  /// into the third level and 100,000 do not. A quadratic algorithm would take ten.
  private static let growth = 6.0

  /// The broken promises, empty if there are none.
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
          "\(bytes.decimal(0)) bytes each of \(row.count), more than \(partOfBytes.decimal(2)) of \(peersBytes.decimal(0))"
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
