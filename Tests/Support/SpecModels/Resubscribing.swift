import CombineCore

extension SpecModels {

  /// Operators that subscribe again to their upstream: `repeat` and `retryWhen`.
  class Resubscribing<Output, Failure: Error>: Queued<Output, Failure, Output, Failure> {

    private let source: any Publisher<Output, Failure>
    private var isInLoop = false
    private var mustSubscribe = false
    private var attempt = 0

    // The demand that was requested, less the values that have arrived.
    private var outstanding = 0
    private var isUnlimited = false

    init(name: String, source: any Publisher<Output, Failure>, downstream: any Subscriber<Output, Failure>) {
      self.source = source
      super.init(name: name, downstream: downstream)
    }

    func subscribeAgain() {
      mustSubscribe = true
      if isInLoop { return }
      isInLoop = true
      while mustSubscribe, !isClosed {
        mustSubscribe = false
        attempt += 1
        attach(source, side(attempt))
      }
      isInLoop = false
    }

    private func attach<P: Publisher<Output, Failure>>(_ publisher: P, _ side: Constituent<Output, Failure>) {
      publisher.subscribe(side)
    }

    private var current: (any Subscription)?

    private func side(_ number: Int) -> Constituent<Output, Failure> {
      let side = Constituent<Output, Failure>()
      var isOver = false
      var hasSubscription = false
      side.onSubscription = { [self] subscription in
        guard !isClosed, number == attempt, !isOver, !hasSubscription else { return subscription.cancel() }
        hasSubscription = true
        current = subscription
        let rest = isUnlimited ? Subscribers.Demand.unlimited : .max(max(outstanding, 0))
        if rest > .none { subscription.request(rest) }
      }
      side.onValue = { [self] value in
        // What an earlier attempt sends late is ignored.
        if isClosed || current == nil || number != attempt { return .none }
        outstanding -= 1
        // The demand is requested, as the upstream may have completed meanwhile.
        passOn(send(value))
        return .none
      }
      side.onCompletion = { [self] completion in
        guard !isClosed, number == attempt, !isOver else { return }
        isOver = true
        current = nil
        upstreamCompleted(completion)
      }
      return side
    }

    override func ask(_ demand: Subscribers.Demand) {
      if let count = demand.max { outstanding += count } else { isUnlimited = true }
      current?.request(demand)
    }

    override func didEnd() { cancelCurrent() }

    func cancelCurrent() {
      let current = current
      self.current = nil
      current?.cancel()
    }
  }

  /// `repeat(_:)`: "Subscribes to this publisher again each time it finishes, up to a number of subscriptions."
  public struct Repeat<Output, Failure: Error>: Publisher {

    private let upstream: any Publisher<Output, Failure>
    private let count: Int?

    public init(_ upstream: any Publisher<Output, Failure>, count: Int?) {
      self.upstream = upstream
      self.count = count
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      // "With zero, the publisher finishes without a subscription."
      if count == 0 { return Empty().receive(subscriber: subscriber) }
      let inner = Inner(upstream, count: count, downstream: subscriber)
      inner.start()
      inner.go()
    }

    private final class Inner: Resubscribing<Output, Failure> {

      private var remaining: Int?

      init(_ upstream: any Publisher<Output, Failure>, count: Int?, downstream: any Subscriber<Output, Failure>) {
        remaining = count
        super.init(name: "Repeat", source: upstream, downstream: downstream)
      }

      func go() {
        if remaining == 0 { return complete(.finished) }
        remaining = remaining.map { $0 - 1 }
        subscribeAgain()
      }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
        if case .failure = completion { complete(completion) } else { go() }
      }
    }
  }

  /// `retryWhen`. Row `retry-when.trigger`.
  public struct RetryWhen<Output, Failure: Error>: Publisher {

    private let upstream: any Publisher<Output, Failure>
    private let trigger: (AnyPublisher<Failure, Never>) -> AnyPublisher<Int, Failure>

    public init(
      _ upstream: any Publisher<Output, Failure>,
      _ trigger: @escaping (AnyPublisher<Failure, Never>) -> AnyPublisher<Int, Failure>
    ) {
      self.upstream = upstream
      self.trigger = trigger
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(upstream, downstream: subscriber)
      inner.run(trigger)
    }

    private final class Inner: Resubscribing<Output, Failure> {

      private let errors = PassthroughSubject<Failure, Never>()
      private var isWaiting = false
      private var triggerSubscription: (any Subscription)?
      private var isTriggerOver = false

      init(_ upstream: any Publisher<Output, Failure>, downstream: any Subscriber<Output, Failure>) {
        super.init(
          name: "RetryWhen.Subscription<\(Output.self), \(Failure.self)>",
          source: upstream,
          downstream: downstream
        )
      }

      func run(_ trigger: (AnyPublisher<Failure, Never>) -> AnyPublisher<Int, Failure>) {
        let side = Constituent<Int, Failure>()
        side.onSubscription = { [self] subscription in
          guard !isClosed, !isTriggerOver, triggerSubscription == nil else { return subscription.cancel() }
          triggerSubscription = subscription
          subscription.request(.unlimited)
        }
        side.onValue = { [self] _ in
          // A trigger value before the trigger's subscription is ignored: nobody has asked for it. So does every stage
          // that keeps its upstream: rows `timing.before-subscription` and `append.events`.
          if isClosed || triggerSubscription == nil || !isWaiting { return .none }
          isWaiting = false
          subscribeAgain()
          return .none
        }
        side.onCompletion = { [self] completion in
          if isTriggerOver { return }
          isTriggerOver = true
          triggerSubscription = nil
          if isClosed { return }
          cancelCurrent()
          complete(completion)
        }
        trigger(errors.eraseToAnyPublisher()).subscribe(side)
        if !isClosed { subscribeAgain() }
        start()
      }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
        // The end of the trigger is the end, although the cancelled upstream may complete before it is passed on.
        if isTriggerOver { return }
        switch completion {
        case .finished:
          cancelTrigger()
          complete(.finished)
        case .failure(let error):
          isWaiting = true
          errors.send(error)
        }
      }

      override func didEnd() {
        super.didEnd()
        cancelTrigger()
      }

      private func cancelTrigger() {
        isTriggerOver = true
        let trigger = triggerSubscription
        triggerSubscription = nil
        trigger?.cancel()
      }
    }
  }

  /// `retry` with a policy of equal delays: "Subscribes again after a delay, up to a number of times."
  public struct RetryLater<Output, Failure: Error, Context: Scheduler>: Publisher {

    private let upstream: any Publisher<Output, Failure>
    private let count: Int
    private let delay: Context.SchedulerTimeType.Stride
    private let scheduler: Context

    public init(
      _ upstream: any Publisher<Output, Failure>,
      count: Int,
      delay: Context.SchedulerTimeType.Stride,
      scheduler: Context
    ) {
      self.upstream = upstream
      self.count = count
      self.delay = delay
      self.scheduler = scheduler
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(self, downstream: subscriber)
      inner.start()
      if !inner.isClosed { inner.subscribeAgain() }
    }

    private final class Inner: Resubscribing<Output, Failure> {

      private let operation: RetryLater
      private var remaining: Int
      private var alarm: Alarm?

      init(_ operation: RetryLater, downstream: any Subscriber<Output, Failure>) {
        self.operation = operation
        remaining = operation.count
        super.init(name: "RetryWithPolicy", source: operation.upstream, downstream: downstream)
      }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
        guard case .failure = completion, remaining > 0 else { return complete(completion) }
        remaining -= 1
        if operation.delay == .zero { return subscribeAgain() }
        let alarm = Alarm { [self] in subscribeAgain() }
        self.alarm = alarm
        alarm.start(after: operation.delay, on: operation.scheduler)
      }

      override func didEnd() {
        super.didEnd()
        alarm?.cancel()
        alarm = nil
      }
    }
  }
}
