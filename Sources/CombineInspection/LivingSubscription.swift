import CombineCore

/// A recorded subscription that is alive.
public struct LivingSubscription: Sendable, Codable, Identifiable {

  /// A number that no other recorded subscription of the process has.
  public let id: Int

  /// The name that `inspect` gave the stage, or the name of the publisher's type.
  public let name: String

  /// Whether an `inspect` stage has given the name.
  public let isNamed: Bool

  /// A description of the subscriber.
  public let subscriber: String

  /// Where the stage or the pipeline was written, if that is known by now.
  public let place: SourcePlace?

  /// The time since the subscription was made.
  public let age: Duration

  /// The demand that the upstream has not met yet.
  public let demand: Subscribers.Demand

  /// The number of values so far.
  public let valueCount: Int

  /// A description of the latest value.
  public let lastValue: String?

  /// The thread of the latest event.
  public let thread: String

  /// The recorded subscriptions that the values of this one flow into.
  public let downstream: [Int]

  /// The recorded subscription whose value was being delivered when this one was made. Inner publishers have one.
  public let startedBy: Int?

  static func table(_ rows: [LivingSubscription]) -> String {
    let cells =
      [["id", "name", "made at", "subscriber", "age", "demand", "values", "last value", "thread"]]
      + rows.map { row in
        [
          "\(row.id)", row.name, row.place?.description ?? "–", row.subscriber, row.age.inSeconds,
          row.demand.max.map(String.init) ?? "unlimited", "\(row.valueCount)", row.lastValue ?? "–", row.thread,
        ]
      }
    let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { line in
      let padded = zip(line, widths).map { $0.0 + String(repeating: " ", count: $0.1 - $0.0.count) }
      return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
    .joined(separator: "\n")
  }
}

extension Duration {

  /// The time in seconds with three decimals, for example `0.250 s`.
  var inSeconds: String {
    let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
  }

  /// The time in microseconds.
  var inMicroseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}
