/// An operator from which one value at a time is requested.
public enum Asked: String, CaseIterable, Sendable {
  case merge, flatMap, zip, combineLatest, switchToLatest, share, buffer

  /// The objects that the amount counts.
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

/// An operator that is subscribed to its upstreams and waits for requests.
public struct Asking {

  /// A closure that requests one value, as many times as its argument says.
  public let ask: (_ times: Int) -> Void

  /// A closure that returns the number of values received from each upstream, or `nil` if the operator has no choice.
  public let shares: () -> [Int]?

  public init(ask: @escaping (_ times: Int) -> Void, shares: @escaping () -> [Int]? = { nil }) {
    self.ask = ask
    self.shares = shares
  }
}
