import CombineCore

extension SpecModels {

  /// A subscription of a subject or of a closure: a queue without an upstream.
  final class Fed<Output, Failure: Error>: Queued<Never, Never, Output, Failure> {

    var onEnd: () -> Void = {}

    override func ask(_ demand: Subscribers.Demand) {}

    override func didEnd() {
      let onEnd = onEnd
      self.onEnd = {}
      onEnd()
    }
  }

  /// `ReplaySubject`, with either order of completions. Rows `replay-subject.replay`, `replay-subject.order` and
  /// `replay-subject.subscriptions`.
  public final class Replay<Output, Failure: Error>: Subject {

    private let size: Int?
    private let overtakes: Bool
    private var kept: [Output] = []
    private var completion: Subscribers.Completion<Failure>?
    private var subscriptions: [Fed<Output, Failure>] = []

    public init(_ size: Int?, overtakes: Bool = false) {
      self.size = size
      self.overtakes = overtakes
    }

    public func send(_ value: Output) {
      if completion != nil { return }
      kept.append(value)
      if let size { kept = Array(kept.suffix(Swift.max(size, 0))) }
      for subscription in subscriptions { subscription.keep(value) }
      // The value is in all queues before the first delivery.
      for subscription in subscriptions { _ = subscription.drain() }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
      if self.completion != nil { return }
      self.completion = completion
      let all = subscriptions
      subscriptions = []
      for subscription in all { subscription.complete(completion) }
    }

    public func send(subscription: any Subscription) { subscription.request(.unlimited) }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let subscription = Fed<Output, Failure>(name: "ReplaySubject", overtakes: overtakes, downstream: subscriber)
      for value in kept { subscription.send(value) }
      if let completion {
        subscription.complete(completion)
      } else {
        subscriptions.append(subscription)
        subscription.onEnd = { [weak self, unowned subscription] in
          self?.subscriptions.removeAll { $0 === subscription }
        }
      }
      subscription.start()
    }
  }

  /// `create`. Rows `create.closure` and `create.clean-up`.
  public struct Create<Output, Failure: Error>: Publisher {

    /// What the closure sends with.
    public struct Sender {
      public let send: (Output) -> Void
      public let complete: (Subscribers.Completion<Failure>) -> Void
    }

    private let factory: (Sender) -> any Cancellable

    public init(_ factory: @escaping (Sender) -> any Cancellable) { self.factory = factory }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let name = "Create.Subscription<\(Output.self), \(Failure.self)>"
      let subscription = Fed<Output, Failure>(name: name, overtakes: true, downstream: subscriber)
      let cleanUp = factory(
        Sender(
          send: { [weak subscription] in _ = subscription?.send($0) },
          complete: { [weak subscription] in subscription?.complete($0) }
        )
      )
      subscription.onEnd = { cleanUp.cancel() }
      subscription.start()
    }
  }

  /// `sample(by:)`: "Publishes the latest element each time another publisher sends a value."
  public struct Sample<Output, Failure: Error>: Publisher {

    private let upstream: AnyPublisher<Output, Failure>
    private let sampler: AnyPublisher<Int, Failure>

    public init(_ upstream: some Publisher<Output, Failure>, by sampler: some Publisher<Int, Failure>) {
      self.upstream = upstream.eraseToAnyPublisher()
      self.sampler = sampler.eraseToAnyPublisher()
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber)
      inner.start()
      if !inner.isClosed { upstream.subscribe(inner.side(0) { inner.latest = $0 }) }
      if !inner.isClosed { sampler.subscribe(inner.side(1) { _ in inner.sample() }) }
    }

    private final class Inner: Queued<Output, Failure, Output, Failure> {

      var latest: Output?
      private var subscriptions: [(any Subscription)?] = [nil, nil]
      private var isOver = [false, false]

      init(downstream: any Subscriber<Output, Failure>) { super.init(name: "Sample", downstream: downstream) }

      /// "Nothing is published if there is no new element since the last sample, or if there is no demand."
      func sample() {
        guard demand > .none, let value = latest else { return }
        latest = nil
        send(value)
      }

      /// "The operator requests unlimited demand from both publishers. It completes when one of them completes."
      func side<Value>(_ index: Int, _ onValue: @escaping (Value) -> Void) -> Constituent<Value, Failure> {
        let side = Constituent<Value, Failure>()
        side.onSubscription = { [self] subscription in
          guard !isClosed, !isOver[index], subscriptions[index] == nil else { return subscription.cancel() }
          subscriptions[index] = subscription
          subscription.request(.unlimited)
        }
        side.onValue = { [self] value in
          if !isClosed, subscriptions[index] != nil { onValue(value) }
          return .none
        }
        side.onCompletion = { [self] completion in
          if isOver[index] { return }
          isOver[index] = true
          subscriptions[index] = nil
          if isClosed { return }
          latest = nil
          // The end of one cancels the other first.
          didEnd()
          complete(completion)
        }
        return side
      }

      override func ask(_ demand: Subscribers.Demand) {}

      override func didEnd() {
        for index in subscriptions.indices {
          isOver[index] = true
          let last = subscriptions[index]
          subscriptions[index] = nil
          last?.cancel()
        }
      }
    }
  }
}
