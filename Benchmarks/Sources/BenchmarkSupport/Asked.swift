/// An operator that is asked for one value at a time.
public enum Asked: String, CaseIterable, Sendable {
  case merge, flatMap, zip, combineLatest, switchToLatest, share, buffer

  /// What there is a number of.
  public var amount: String {
    switch self {
    case .merge, .zip, .combineLatest: "upstreams"
    case .flatMap: "inner publishers"
    case .switchToLatest: "inner publishers so far"
    case .share: "subscribers, asking in turn"
    case .buffer: "values kept"
    }
  }
}

/// An operator whose upstreams are subscribed to, and that waits to be asked.
public struct Asking {

  /// Asks for one value, and so many times.
  public let ask: (_ times: Int) -> Void

  /// How many values of each upstream have come; nothing where it is not for the operator to choose.
  public let shares: () -> [Int]?

  public init(ask: @escaping (_ times: Int) -> Void, shares: @escaping () -> [Int]? = { nil }) {
    self.ask = ask
    self.shares = shares
  }
}
