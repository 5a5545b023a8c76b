import CombineCore

extension SpecModels {

  /// `materialize()` of Entwine. Row `signal.materialize`. The texts stand for the signals.
  public struct Materialize<Upstream: Publisher>: Publisher {

    public typealias Output = String
    public typealias Failure = Never

    private let upstream: Upstream

    public init(_ upstream: Upstream) { self.upstream = upstream }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == String, S.Failure == Never {
      upstream.subscribe(Inner(downstream: subscriber))
    }

    private final class Inner: Queued<Upstream.Output, Upstream.Failure, String, Never> {

      /// The unit of demand that the signal of the subscription takes.
      private var isSubscriptionDue = true

      init(downstream: any Subscriber<String, Never>) {
        super.init(
          name: "Materialize.Subscription<\(Upstream.Output.self), \(Upstream.Failure.self)>",
          downstream: downstream
        )
      }

      override func receive(subscription: any Subscription) {
        guard accept(subscription) else { return }
        send("subscription")
        start()
      }

      override func passOn(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let rest = isSubscriptionDue ? demand - 1 : demand
        isSubscriptionDue = false
        super.passOn(rest)
      }

      override func receive(_ input: Upstream.Output) -> Subscribers.Demand { send("input \(input)") }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Upstream.Failure>) {
        keep("completion \(completion)")
        complete(.finished)
      }
    }
  }

  /// An element as `dematerialize()` sees it.
  public enum Element<Failure: Error> {
    case subscription
    case input(Int)
    case completion(Subscribers.Completion<Failure>)
  }

  /// `dematerialize()` of CombineExt: the signals of subscriptions have no effect. Row `event.dematerialize`.
  public struct Dematerialize<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {

    public typealias Output = Int

    private let upstream: Upstream
    private let element: (Upstream.Output) -> Element<Failure>

    public init(_ upstream: Upstream, _ element: @escaping (Upstream.Output) -> Element<Failure>) {
      self.upstream = upstream
      self.element = element
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, element: element))
    }

    private typealias SignalFailure = Failure

    private final class Inner: Queued<Upstream.Output, Never, Int, SignalFailure> {

      private let element: (Upstream.Output) -> Element<SignalFailure>

      init(
        downstream: any Subscriber<Int, SignalFailure>,
        element: @escaping (Upstream.Output) -> Element<SignalFailure>
      ) {
        self.element = element
        super.init(name: "Dematerialize.Subscription<\(Int.self), \(SignalFailure.self)>", downstream: downstream)
      }

      override func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        if isClosed || isUpstreamOver { return .none }
        switch element(input) {
        case .subscription:
          return .max(1)
        case .input(let value):
          return send(value)
        case .completion(let completion):
          cancelUpstream()
          complete(completion)
          return .none
        }
      }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Never>) { complete(.finished) }
    }
  }
}
