import CombineCore

/// A subscription that records its calls. For one thread at a time.
public final class ManualSubscription: Subscription, CustomStringConvertible {

  public enum Call: Equatable, Sendable {
    case requested(Subscribers.Demand)
    case cancelled
  }

  public private(set) var history: [Call] = []

  public var onRequest: (Subscribers.Demand) -> Void
  public var onCancel: () -> Void
  private let onDeinit: () -> Void

  public init(
    onRequest: @escaping (Subscribers.Demand) -> Void = { _ in },
    onCancel: @escaping () -> Void = {},
    onDeinit: @escaping () -> Void = {}
  ) {
    self.onRequest = onRequest
    self.onCancel = onCancel
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }

  public func clear() {
    history = []
  }

  public func request(_ demand: Subscribers.Demand) {
    history.append(.requested(demand))
    onRequest(demand)
  }

  public func cancel() {
    history.append(.cancelled)
    onCancel()
  }

  public var description: String { "ManualSubscription" }
}
