import CombineCore

/// A log of the demand of a ``TestableSubscriber``: its requests and the values it received, in order.
///
/// Each entry consists of a time, the outstanding demand after the entry, and the transaction that led to it. `Time` is
/// the type of the times, here ``VirtualTime``.
///
/// ```swift
/// let expected: DemandLedger<VirtualTime> = [
///   (200, .max(1), .credit(amount: .max(1))),
///   (210, .none, .debit(authorized: true)),
/// ]
/// print(expected.count)  // prints 2
/// ```
public struct DemandLedger<Time: Strideable> where Time.Stride: SchedulerTimeIntervalConvertible {

  /// A transaction that changes the outstanding demand, in a ledger with times of the type `Instant`.
  public enum Transaction<Instant: Strideable>: Hashable, Sendable
  where Instant.Stride: SchedulerTimeIntervalConvertible {

    /// The subscriber requested more elements.
    case credit(amount: Subscribers.Demand)

    /// The publisher sent a value. It is authorized if there was demand for it.
    case debit(authorized: Bool)
  }

  /// An entry: a time, the outstanding demand, and the transaction that led to it.
  public typealias Element = (Time, Subscribers.Demand, Transaction<Time>)

  private var elements: [Element]

  /// Creates an empty ledger.
  public init() {
    elements = []
  }
}

extension DemandLedger: ExpressibleByArrayLiteral {

  /// Creates a ledger from an array literal of entries.
  public init(arrayLiteral elements: Element...) {
    self.elements = elements
  }
}

extension DemandLedger: RandomAccessCollection, RangeReplaceableCollection, MutableCollection {

  /// The position of the first entry, which is zero.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last entry, which is the number of entries.
  public var endIndex: Int { elements.endIndex }

  /// Accesses the entry at a position.
  public subscript(position: Int) -> Element {
    get { elements[position] }
    set { elements[position] = newValue }
  }

  /// Replaces the entries in a range of positions.
  ///
  /// - Parameters:
  ///   - subrange: The positions of the entries to replace.
  ///   - newElements: The new entries.
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    elements.replaceSubrange(subrange, with: newElements)
  }
}

extension DemandLedger: Equatable {

  /// Returns whether two ledgers have the same entries in the same order.
  public static func == (lhs: DemandLedger, rhs: DemandLedger) -> Bool {
    lhs.elementsEqual(rhs, by: ==)
  }
}

extension DemandLedger: Sendable where Time: Sendable {}

extension DemandLedger: CustomDebugStringConvertible {

  /// The ledger as Swift code, with one entry on each line.
  public var debugDescription: String {
    literal(of: elements.map { "(\($0), \($1.literal), \($2.literal))" })
  }
}

extension DemandLedger.Transaction: CustomDebugStringConvertible {

  /// The kind of the transaction with its amount, as in `.credit(.max(2))`, or with its authorization, as in
  /// `.debit(true)`.
  public var debugDescription: String {
    switch self {
    case .credit(let amount): ".credit(.\(amount))"
    case .debit(let isAuthorized): ".debit(\(isAuthorized))"
    }
  }

  /// The transaction as Swift code.
  fileprivate var literal: String {
    switch self {
    case .credit(let amount): ".credit(amount: \(amount.literal))"
    case .debit(let isAuthorized): ".debit(authorized: \(isAuthorized))"
    }
  }
}

extension Subscribers.Demand {

  /// The demand as Swift code.
  fileprivate var literal: String {
    switch self {
    case .unlimited: ".unlimited"
    case .none: ".none"
    default: ".max(\(max ?? 0))"
    }
  }
}
