import CombineCore

extension SpecModels {

  /// `buffer(size:prefetch:whenFull:)`. Rows `buffer.upstream-request`, `buffer.drain`, `buffer.batch`,
  /// `buffer.refill`, `buffer.full`, `buffer.custom-error` and `buffer.completion`.
  public struct Buffer<Upstream: Publisher>: Publisher {

    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let size: Int
    private let prefetch: Publishers.PrefetchStrategy
    private let whenFull: Publishers.BufferingStrategy<Failure>

    public init(
      _ upstream: Upstream,
      size: Int,
      prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(self, downstream: subscriber))
    }

    private final class Inner: Subscriber, Subscription, CustomStringConvertible {

      typealias Input = Output

      let description = "Buffer"
      let buffer: Buffer
      let downstream: any Subscriber<Output, Failure>
      var slot = Slot.awaiting
      var upstream: (any Subscription)?
      var values: [Output] = []
      var demand = Subscribers.Demand.none
      var terminal: Subscribers.Completion<Failure>?

      /// Whether a batch is being delivered.
      var isDelivering = false

      /// Nothing is delivered before the subscription, or after a cancel: the rest of a batch neither.
      var hasSentSubscription = false
      var isCancelled = false

      init(_ buffer: Buffer, downstream: any Subscriber<Output, Failure>) {
        self.buffer = buffer
        self.downstream = downstream
      }

      func receive(subscription: any Subscription) {
        guard slot.accept(subscription) else { return subscription.cancel() }
        upstream = subscription
        subscription.request(buffer.prefetch == .keepFull ? .max(buffer.size) : .unlimited)
        downstream.receive(subscription: self)
        hasSentSubscription = true
        _ = drain()
      }

      func receive(_ input: Output) -> Subscribers.Demand {
        guard slot.subscription != nil else { return .none }
        if case .failure = terminal { return .none }
        if values.count < buffer.size {
          values.append(input)
        } else {
          switch buffer.whenFull {
          case .dropNewest: break
          case .dropOldest:
            if !values.isEmpty {
              values.removeFirst()
              values.append(input)
            }
          case .customError(let makeError):
            terminal = .failure(makeError())
            cancelUpstream()
            return .none
          }
        }
        let count = drain()
        return buffer.prefetch == .keepFull ? .max(count) : .none
      }

      func receive(completion: Subscribers.Completion<Failure>) {
        guard slot.subscription != nil, terminal == nil else { return }
        terminal = completion
        _ = drain()
      }

      func request(_ demand: Subscribers.Demand) {
        guard slot.subscription != nil else { return }
        self.demand += demand
        if isDelivering { return }
        let subscription = slot.subscription
        let count = drain()
        if buffer.prefetch == .keepFull, count > 0 { subscription?.request(.max(count)) }
      }

      func cancel() {
        isCancelled = true
        guard slot.end() != nil else { return }
        values = []
        cancelUpstream()
      }

      func cancelUpstream() {
        let subscription = upstream
        upstream = nil
        subscription?.cancel()
      }

      /// Delivers values while there is demand.
      ///
      /// - Returns: Their number.
      func drain() -> Int {
        var count = 0
        while hasSentSubscription, slot.subscription != nil {
          if demand > .none, values.isEmpty {
            if let terminal { complete(terminal) }
            break
          }
          if demand == .none {
            if case .failure = terminal { complete(terminal!) }
            break
          }
          let batch = Array(values.prefix(demand.max ?? values.count))
          values.removeFirst(batch.count)
          demand -= batch.count
          let isOutermost = !isDelivering
          isDelivering = true
          var returned = Subscribers.Demand.none
          for value in batch where !isCancelled {
            returned += downstream.receive(value)
            count += 1
          }
          if isOutermost { isDelivering = false }
          demand += returned
        }
        return count
      }

      func complete(_ completion: Subscribers.Completion<Failure>) {
        _ = slot.end()
        values = []
        downstream.receive(completion: completion)
      }
    }
  }
}
