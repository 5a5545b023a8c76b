import Synchronization

/// Counts the living objects. A leak, after a race or not, leaves it above zero.
final class Tally: Sendable {

  private let count = Atomic<Int>(0)

  var alive: Int { count.load(ordering: .acquiring) }

  /// A part of each object to be counted.
  final class Token: Sendable {

    private let tally: Tally

    init(_ tally: Tally) {
      self.tally = tally
      tally.count.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
      tally.count.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }
  }
}

/// The value that the sources send: its source and its number. It is counted while it is alive.
struct Item: Sendable {

  let source: Int
  let number: Int
  private let token: Tally.Token

  init(source: Int, number: Int, _ tally: Tally) {
    self.source = source
    self.number = number
    token = Tally.Token(tally)
  }
}
