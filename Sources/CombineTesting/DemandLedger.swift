import CombineCore

/// What a ``TestableSubscriber`` asked for and got: an account of demand, in the order of events.
///
/// Each entry is a time, the demand that is outstanding after the entry, and what made it so.
///
/// ```swift
/// let expected: DemandLedger = [
///   (200, .max(1), .credit(amount: .max(1))),
///   (210, .none, .debit(authorized: true)),
/// ]
/// print(expected.count)  // prints 2
/// ```
public struct DemandLedger: Sendable {

  /// A change of the demand.
  public enum Transaction: Hashable, Sendable {

    /// The subscriber asked for more.
    case credit(amount: Subscribers.Demand)

    /// The publisher sent a value; authorized if it was asked for.
    case debit(authorized: Bool)
  }

  /// A time, the outstanding demand, and the change that led to it.
  public typealias Element = (VirtualTime, Subscribers.Demand, Transaction)

  private var elements: [Element]

  /// Creates a ledger without entries.
  public init() {
    elements = []
  }
}

extension DemandLedger: ExpressibleByArrayLiteral {

  /// Creates a ledger from a literal.
  public init(arrayLiteral elements: Element...) {
    self.elements = elements
  }
}

extension DemandLedger: RandomAccessCollection, RangeReplaceableCollection {

  /// The position of the first entry: zero.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last entry: the number of entries.
  public var endIndex: Int { elements.endIndex }

  /// The entry at a position.
  public subscript(position: Int) -> Element { elements[position] }

  /// Replaces the entries in a range of positions by others.
  ///
  /// - Parameters:
  ///   - subrange: The positions.
  ///   - newElements: The entries to put there.
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    elements.replaceSubrange(subrange, with: newElements)
  }
}

extension DemandLedger: Equatable {

  /// Whether both have the same entries in the same order.
  public static func == (lhs: DemandLedger, rhs: DemandLedger) -> Bool {
    lhs.elementsEqual(rhs, by: ==)
  }
}

extension DemandLedger: CustomDebugStringConvertible {

  /// The ledger as it is written in code, an entry a line.
  public var debugDescription: String {
    literal(of: elements.map { "(\($0), \($1.literal), \($2.debugDescription))" })
  }
}

extension DemandLedger.Transaction: CustomDebugStringConvertible {

  /// The transaction as it is written in code.
  public var debugDescription: String {
    switch self {
    case .credit(let amount): ".credit(amount: \(amount.literal))"
    case .debit(let isAuthorized): ".debit(authorized: \(isAuthorized))"
    }
  }
}

extension Subscribers.Demand {

  /// The demand as it is written in code.
  var literal: String {
    switch self {
    case .unlimited: ".unlimited"
    case .none: ".none"
    default: ".max(\(max ?? 0))"
    }
  }
}
