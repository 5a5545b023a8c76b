import Foundation

/// What the server has been asked, and how much of it at the same time.
final class Journal: @unchecked Sendable {  // `entries` is only touched with `lock` held.

  /// What the server remembers about one path.
  private struct Entry {
    var hits = 0
    var answers = 0
    var inFlight = 0
    var most = 0
  }

  private let lock = NSLock()
  private var entries: [String: Entry] = [:]
  private var targets: [String] = []

  /// A request has come.
  ///
  /// - Parameters:
  ///   - path: What it is counted by.
  ///   - target: What it asks, with its query.
  /// - Returns: Which request to the path it is, from 1; no two have the same number.
  func arrive(_ path: String, target: String) -> Int {
    lock.withLock {
      targets.append(target)
      if targets.count > 1000 { targets.removeFirst(500) }
      var entry = entries[path, default: Entry()]
      entry.hits += 1
      entries[path] = entry
      return entry.hits
    }
  }

  /// A request whose work counts as part of a group has begun.
  func begin(_ group: String) {
    lock.withLock {
      var entry = entries[group, default: Entry()]
      entry.inFlight += 1
      entry.most = max(entry.most, entry.inFlight)
      entries[group] = entry
    }
  }

  /// It has ended.
  func end(_ group: String) {
    lock.withLock { entries[group, default: Entry()].inFlight -= 1 }
  }

  /// A request has been answered, or its client has gone away.
  func leave(_ path: String) {
    lock.withLock { entries[path, default: Entry()].answers += 1 }
  }

  /// How many requests to a path have been answered.
  func answers(_ path: String) -> Int {
    lock.withLock { entries[path]?.answers ?? 0 }
  }

  /// How many requests a path has had.
  func hits(_ path: String) -> Int {
    lock.withLock { entries[path]?.hits ?? 0 }
  }

  /// What the server remembers, for those who look from outside.
  struct Snapshot: Encodable {

    /// The last requests, in the order in which they came.
    var requests: [String]

    /// How many are being worked on.
    var unanswered: Int

    /// How much of each group there is now.
    var inFlight: [String: Int]
  }

  var snapshot: Snapshot {
    lock.withLock {
      Snapshot(
        requests: targets,
        unanswered: entries.values.reduce(0) { $0 + $1.hits - $1.answers },
        inFlight: entries.compactMapValues { $0.most > 0 ? $0.inFlight : nil }
      )
    }
  }

  /// The largest number of requests of a group that were worked on at the same time.
  func mostAtOnce(_ group: String) -> Int {
    lock.withLock { entries[group]?.most ?? 0 }
  }
}
