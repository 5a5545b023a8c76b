import CombineCore

extension SpecModels {

  /// A transform whose downstream receives the upstream's subscription itself, as in row `enumerated.index`.
  public struct Transparent<Upstream: Publisher, Output>: Publisher {

    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let makeTransform: () -> (Upstream.Output) -> Output

    /// - Parameter makeTransform: A closure that makes the transform of one subscription.
    public init(_ upstream: Upstream, _ makeTransform: @escaping () -> (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.makeTransform = makeTransform
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, transform: makeTransform()))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Output, Downstream.Failure == Failure {

      let combineIdentifier = CombineIdentifier()
      let downstream: Downstream
      let transform: (Upstream.Output) -> Output

      func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }
      func receive(_ input: Upstream.Output) -> Subscribers.Demand { downstream.receive(transform(input)) }
      func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
    }
  }

  /// A publisher that a closure makes anew for each subscription, so that no state is shared: row `companions.law`.
  public struct PerSubscription<Inner: Publisher>: Publisher {

    public typealias Output = Inner.Output
    public typealias Failure = Inner.Failure

    private let make: () -> Inner

    public init(_ make: @escaping () -> Inner) { self.make = make }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      make().subscribe(subscriber)
    }
  }
}
