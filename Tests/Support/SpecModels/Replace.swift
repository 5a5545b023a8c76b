import CombineCore

extension SpecModels {

  /// `replaceEmpty(with:)` and `replaceError(with:)`. Rows `replace-empty.request`, `replace-empty.completion`,
  /// `replace-empty.pending`, `replace-error.demand`, `replace-error.completion` and `replace-error.pending`.
  public struct Replace<Upstream: Publisher, Passed: Error>: Publisher {

    public typealias Output = Upstream.Output
    public typealias Failure = Passed

    private let name: String
    private let upstream: Upstream
    private let replacement: Output
    private let pass: (Upstream.Failure) -> Passed?

    /// - Parameter pass: A closure that returns the failure for an error that is not replaced.
    public init(
      _ name: String,
      _ upstream: Upstream,
      by replacement: Output,
      _ pass: @escaping (Upstream.Failure) -> Passed?
    ) {
      self.name = name
      self.upstream = upstream
      self.replacement = replacement
      self.pass = pass
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(self, replacesEmpty: name == "ReplaceEmpty", downstream: subscriber))
    }

    private final class Inner: Subscriber, Subscription, CustomStringConvertible {

      typealias Input = Output
      typealias Failure = Upstream.Failure

      let description: String
      let operation: Replace
      let downstream: any Subscriber<Output, Passed>
      let replacesEmpty: Bool
      var slot = Slot.awaiting
      var hasSeenValue = false

      /// What the downstream has requested. Only `replaceError` counts.
      var outstanding = Subscribers.Demand.none
      var isPending = false
      var isCancelled = false

      init(_ operation: Replace, replacesEmpty: Bool, downstream: any Subscriber<Output, Passed>) {
        description = operation.name
        self.operation = operation
        self.replacesEmpty = replacesEmpty
        self.downstream = downstream
      }

      func receive(subscription: any Subscription) {
        guard slot.accept(subscription) else { return subscription.cancel() }
        downstream.receive(subscription: self)
        if replacesEmpty, !isCancelled { subscription.request(.unlimited) }
      }

      func receive(_ input: Output) -> Subscribers.Demand {
        guard slot.subscription != nil else { return .none }
        hasSeenValue = true
        if !replacesEmpty { outstanding -= 1 }
        let returned = downstream.receive(input)
        if !replacesEmpty { outstanding += returned }
        return returned
      }

      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        guard slot.subscription != nil else { return }
        _ = slot.end()
        var passed: Subscribers.Completion<Passed>?
        switch completion {
        case .finished: passed = replacesEmpty && !hasSeenValue ? nil : .finished
        case .failure(let error): passed = operation.pass(error).map { .failure($0) }
        }
        if let passed {
          downstream.receive(completion: passed)
        } else if outstanding > .none {
          replace()
        } else {
          isPending = true
        }
      }

      /// Delivers the replacement.
      func replace() {
        isPending = false
        _ = downstream.receive(operation.replacement)
        if !isCancelled { downstream.receive(completion: .finished) }
      }

      func request(_ demand: Subscribers.Demand) {
        outstanding += demand
        if isPending { replace() } else { slot.subscription?.request(demand) }
      }

      func cancel() {
        isCancelled = true
        isPending = false
        slot.end()?.cancel()
      }
    }
  }
}
