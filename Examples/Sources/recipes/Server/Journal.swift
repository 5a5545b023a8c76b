import Foundation

/// A log of the server's requests, with the number of requests at the same time.
final class Journal: @unchecked Sendable {  // `entries` is accessed only with `lock` held.

  /// The log of one path.
  private struct Entry {
    var hits = 0
    var answers = 0
    var inFlight = 0
    var most = 0

    /// The times of the latest arrivals, in order.
    var arrivals: [ContinuousClock.Instant] = []
  }

  private let lock = NSLock()
  private var entries: [String: Entry] = [:]
  private var targets: [String] = []

  /// Records the arrival of a request.
  ///
  /// - Parameters:
  ///   - path: The path under which the request is counted.
  ///   - target: The target of the request, with its query.
  /// - Returns: The number of the request among those of the path, from 1. No two have the same number.
  func arrive(_ path: String, target: String) -> Int {
    lock.withLock {
      targets.append(target)
      if targets.count > 1000 { targets.removeFirst(500) }
      var entry = entries[path, default: Entry()]
      entry.hits += 1
      entry.arrivals.append(.now)
      if entry.arrivals.count > 1000 { entry.arrivals.removeFirst(500) }
      entries[path] = entry
      return entry.hits
    }
  }

  /// Records the start of work that belongs to a group.
  func begin(_ group: String) {
    lock.withLock {
      var entry = entries[group, default: Entry()]
      entry.inFlight += 1
      entry.most = max(entry.most, entry.inFlight)
      entries[group] = entry
    }
  }

  /// Records the end of such work.
  func end(_ group: String) {
    lock.withLock { entries[group, default: Entry()].inFlight -= 1 }
  }

  /// Records that a request was answered, or that its client has disconnected.
  func leave(_ path: String) {
    lock.withLock { entries[path, default: Entry()].answers += 1 }
  }

  /// Returns the number of answered requests to a path.
  func answers(_ path: String) -> Int {
    lock.withLock { entries[path]?.answers ?? 0 }
  }

  /// Returns the number of requests to a path.
  func hits(_ path: String) -> Int {
    lock.withLock { entries[path]?.hits ?? 0 }
  }

  /// Returns the times at which the latest requests to a path arrived, in order. At least 500 are kept.
  func arrivals(_ path: String) -> [ContinuousClock.Instant] {
    lock.withLock { entries[path]?.arrivals ?? [] }
  }

  /// Returns the number of requests to a path in the interval that ends with the arrival of one of them.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - interval: The length of the interval. A request that arrived exactly that long before is not counted.
  ///   - ordinal: The number of the request among those of the path, from 1.
  func arrivals(_ path: String, within interval: Duration, until ordinal: Int) -> Int {
    lock.withLock {
      guard let entry = entries[path] else { return 0 }
      let arrivals = entry.arrivals.dropLast(entry.hits - ordinal)
      guard let end = arrivals.last else { return 0 }
      return arrivals.count { $0 > end - interval }
    }
  }

  /// The contents of the journal, for clients that inspect it.
  struct Snapshot: Encodable {

    /// The latest requests, in the order in which they arrived.
    var requests: [String]

    /// The number of requests in progress.
    var unanswered: Int

    /// The number of requests in progress in each group.
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

  /// Returns the largest number of requests of a group that were in progress at the same time.
  func mostAtOnce(_ group: String) -> Int {
    lock.withLock { entries[group]?.most ?? 0 }
  }
}
