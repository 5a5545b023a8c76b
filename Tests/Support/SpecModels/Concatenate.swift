import CombineCore

extension SpecModels {

  /// `append(_:)` and `prepend(_:)`. Row `append.events`.
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Prefix.Output == Suffix.Output, Prefix.Failure == Suffix.Failure {

    public typealias Output = Prefix.Output
    public typealias Failure = Prefix.Failure

    private let prefix: Prefix
    private let suffix: Suffix

    public init(_ prefix: Prefix, _ suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, suffix: suffix)
      prefix.subscribe(inner.prefixSide())
    }
  }
}

extension SpecModels.Concatenate {

  private typealias Constituent = SpecModels.Constituent<Output, Failure>

  private final class Inner: Subscription, CustomStringConvertible {

    let description = "Concatenate"
    let downstream: any Subscriber<Output, Failure>
    let suffix: Suffix

    var prefixSlot = SpecModels.Slot.awaiting
    var suffixSlot = SpecModels.Slot.awaiting
    var pending = Subscribers.Demand.none

    init(downstream: any Subscriber<Output, Failure>, suffix: Suffix) {
      self.downstream = downstream
      self.suffix = suffix
    }

    func prefixSide() -> Constituent {
      let side = Constituent()
      side.onSubscription = { [self] subscription in
        guard prefixSlot.accept(subscription) else { return subscription.cancel() }
        downstream.receive(subscription: self)
      }
      side.onValue = { [self] value in
        guard prefixSlot.subscription != nil, pending > .none else { return .none }
        pending -= 1
        let returned = downstream.receive(value)
        // The prefix has ended inside the delivery.
        if case .ended = suffixSlot { return returned }
        pending += returned
        if prefixSlot.subscription == nil, returned > .none { suffixSlot.subscription?.request(returned) }
        return returned
      }
      side.onCompletion = { [self] completion in
        guard prefixSlot.subscription != nil else { return }
        _ = prefixSlot.end()
        if case .failure = completion {
          _ = suffixSlot.end()
          downstream.receive(completion: completion)
        } else {
          suffix.subscribe(suffixSide())
        }
      }
      return side
    }

    func suffixSide() -> Constituent {
      let side = Constituent()
      side.onSubscription = { [self] subscription in
        guard suffixSlot.accept(subscription) else { return subscription.cancel() }
        if pending > .none { subscription.request(pending) }
      }
      side.onValue = { [self] in suffixSlot.subscription == nil ? .none : downstream.receive($0) }
      side.onCompletion = { [self] in
        guard suffixSlot.subscription != nil else { return }
        _ = suffixSlot.end()
        downstream.receive(completion: $0)
      }
      return side
    }

    func request(_ demand: Subscribers.Demand) {
      pending += demand
      (prefixSlot.subscription ?? suffixSlot.subscription)?.request(demand)
    }

    func cancel() {
      let subscriptions = (prefixSlot.end(), suffixSlot.end())
      (subscriptions.0 ?? subscriptions.1)?.cancel()
    }
  }
}
