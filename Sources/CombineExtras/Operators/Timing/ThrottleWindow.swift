import CombineThreads
import CombineCore

extension Publisher {

  /// Publishes at most one element until a publisher, which each published element decides, sends a value or finishes.
  ///
  /// The first element, and the first one after a pause, is published at once. `until` is called with each published
  /// element after which more can come, and its publisher is subscribed to. When that publisher sends its first value or
  /// finishes, an element that has arrived meanwhile is published, and the next publisher is subscribed to.
  ///
  /// The operator requests unlimited demand from the upstream, and drops elements that exceed the downstream's demand. A
  /// dropped element starts no pause. A completion of the upstream waits for a pending element. A failure of a publisher
  /// that `until` has returned is passed on at once.
  ///
  /// ```swift
  /// marbles { test in
  ///   "ab-c-----d--|"
  ///   "----x----x--"
  ///   test[0].throttle(latest: false) { _ in test[1] }
  ///   "a---b----d--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let taps = PassthroughSubject<Int, Never>()
  /// let animationEnds = PassthroughSubject<Void, Never>()
  /// let cancellable = taps
  ///   .throttle(latest: true) { _ in animationEnds }
  ///   .sink { print($0) }
  /// taps.send(1)  // prints 1
  /// ```
  ///
  /// For a pause whose length the element decides, return a delayed `Just`:
  ///
  /// ```swift
  /// marbles(of: Int.self) { test in
  ///   "41-2-----3--|"
  ///   test[0].throttle(latest: true) {
  ///     Just(()).setFailureType(to: MarbleError.self).delay(for: .milliseconds($0), scheduler: test.scheduler)
  ///   }
  ///   "4---2----3--|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - latest: Whether to publish the latest element at the end of a pause. If not, the first one is published.
  ///   - until: A closure that returns the publisher that ends the pause after a published element.
  /// - Returns: A publisher of one element for each pause.
  @inlinable
  public func throttle<Window: Publisher>(
    latest: Bool,
    until: @escaping (Output) -> Window
  ) -> ExtraPublishers.ThrottleUntil<Self, Window> where Window.Failure == Failure {
    ExtraPublishers.ThrottleUntil(upstream: self, latest: latest, until: until)
  }
}

extension ExtraPublishers {

  /// A publisher of at most one element of its upstream until a publisher, which that element decides, sends a value.
  public struct ThrottleUntil<Upstream: Publisher, Window: Publisher>: Publisher
  where Upstream.Failure == Window.Failure {

    /// The kind of values this publisher publishes.
    public typealias Output = Upstream.Output

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are published.
    public let upstream: Upstream

    /// Whether to publish the latest element at the end of a pause.
    public let latest: Bool

    /// A closure that returns the publisher that ends the pause after a published element.
    public let until: (Output) -> Window

    /// Creates a publisher of at most one element of another publisher in each pause.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are published.
    ///   - latest: Whether to publish the latest element at the end of a pause.
    ///   - until: A closure that returns the publisher that ends the pause after a published element.
    @inlinable
    public init(upstream: Upstream, latest: Bool, until: @escaping (Output) -> Window) {
      self.upstream = upstream
      self.latest = latest
      self.until = until
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let conduit = ExtraConduits.ThrottleWindow(downstream: subscriber, latest: latest) { [until] value, conduit in
        let trigger = TriggerSubscriber<Window.Output, Failure>(
          demand: .max(1),
          receiveValue: { conduit.endWindow() },
          receiveCompletion: { completion in
            if case .failure = completion { conduit.fail(with: completion) } else { conduit.endWindow() }
          }
        )
        if conduit.keep(trigger.connection) { until(value).subscribeLater(trigger) }
      }
      if conduit.open() { upstream.subscribeConduit(conduit) }
    }
  }
}

// MARK: Machine

/// The pure state of `throttle` with a closure: whether a pause is running, and the element that waits for its end.
@usableFromInline
struct ThrottleWindowMachine<Value, Failure: Error> {

  @usableFromInline
  let latest: Bool
  @usableFromInline
  var isInWindow = false
  @usableFromInline
  var pending: Value?
  @usableFromInline
  var completion: Subscribers.Completion<Failure>?

  @inlinable
  init(latest: Bool) {
    self.latest = latest
  }

  @usableFromInline
  enum Action {
    case none

    /// Publish an element, and then start a pause for it.
    case publish(Value)

    /// Publish an element, and then complete.
    case publishLast(Value, Subscribers.Completion<Failure>)

    case complete(Subscribers.Completion<Failure>)
  }

  /// Handles an element.
  ///
  /// - Parameters:
  ///   - value: The element.
  ///   - hasDemand: Whether there is demand for it.
  /// - Returns: The action, and an element to be released with no lock held.
  @inlinable
  mutating func receive(_ value: Value, hasDemand: Bool) -> (action: Action, dropped: Value?) {
    if completion != nil { return (.none, value) }
    if isInWindow {
      if latest || pending == nil { return (.none, exchange(&pending, with: value)) }
      return (.none, value)
    }
    guard hasDemand else { return (.none, value) }
    isInWindow = true
    return (.publish(value), nil)
  }

  /// Handles the upstream's completion, which waits for a pending element.
  @inlinable
  mutating func receive(completion: Subscribers.Completion<Failure>) -> Action {
    if self.completion != nil { return .none }
    self.completion = completion
    return pending == nil ? .complete(completion) : .none
  }

  /// Handles the end of a pause.
  ///
  /// - Parameter hasDemand: Whether there is demand. Without it the pending element is dropped.
  /// - Returns: The action, and an element to be released with no lock held.
  @inlinable
  mutating func endWindow(hasDemand: Bool) -> (action: Action, dropped: Value?) {
    guard isInWindow else { return (.none, nil) }
    let value = exchange(&pending, with: nil)
    isInWindow = value != nil && hasDemand && completion == nil
    switch (value, completion) {
    case (nil, _): return (.none, nil)
    case (let value?, nil): return hasDemand ? (.publish(value), nil) : (.none, value)
    case (let value?, let completion?):
      return hasDemand ? (.publishLast(value, completion), nil) : (.complete(completion), value)
    }
  }

  /// Drops the pending element.
  ///
  /// - Returns: The element, to be released with no lock held.
  @inlinable
  mutating func removeAll() -> Value? {
    exchange(&pending, with: nil)
  }
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class ThrottleWindow<Downstream: Subscriber>: PassingConduit<Downstream>, CustomStringConvertible {

    @usableFromInline
    typealias State = ThrottleWindowMachine<Input, Failure>

    @exclusivity(unchecked)  // These three: only with the lock held, after `init`.
    @usableFromInline
    var state: State

    @exclusivity(unchecked)
    @usableFromInline
    var startWindow: ((Input, ThrottleWindow<Downstream>) -> Void)?

    @exclusivity(unchecked)
    @usableFromInline
    var window: TriggerConnection?

    @inlinable
    init(
      downstream: Downstream,
      latest: Bool,
      startWindow: @escaping (Input, ThrottleWindow<Downstream>) -> Void
    ) {
      state = State(latest: latest)
      self.startWindow = startWindow
      super.init(downstream: downstream)
    }

    /// Keeps what ends the pause.
    ///
    /// - Returns: Whether the connection has not ended, so that the caller starts it.
    @inlinable
    func keep(_ window: TriggerConnection) -> Bool {
      let (isOpen, previous) = lock.withLock {
        queue.isClosed ? (false, nil) : (true, exchange(&self.window, with: window))
      }
      previous?.cancel()
      return isOpen
    }

    @inlinable
    override func receive(subscription: any Subscription) {
      if accept(subscription) { subscription.request(.unlimited) }
    }

    @inlinable
    override func receive(_ input: Input) -> Subscribers.Demand {
      step { state.receive(input, hasDemand: $0) }
      return .none
    }

    @inlinable
    override func receive(completion: Subscribers.Completion<Failure>) {
      guard finishUpstream() else { return }
      step { _ in (state.receive(completion: completion), nil) }
    }

    @inlinable
    func endWindow() {
      // A publisher that sends a value and then finishes ends one pause only.
      lock.withLock { exchange(&window, with: nil) }?.cancel()
      step { state.endWindow(hasDemand: $0) }
    }

    /// Passes a failure on at once.
    @inlinable
    func fail(with completion: Subscribers.Completion<Failure>) {
      cancelUpstream()
      sendImmediately(completion: completion)
    }

    /// Does a step of the state and its action. A published element enters the queue in the same step.
    @inlinable
    func step(_ body: (_ hasDemand: Bool) -> (action: State.Action, dropped: Input?)) {
      var start: (value: Input, window: (Input, ThrottleWindow<Downstream>) -> Void)?
      var last: TriggerConnection?
      let (delivery, completion, dropped) = lock.withLock { () -> (Machine.Delivery, Completion?, Input?) in
        if queue.isClosed { return (.nothing, nil, nil) }
        let (action, dropped) = body(queue.demand > queue.count)
        switch action {
        case .none:
          return (.nothing, nil, dropped)
        case .publish(let value):
          if let startWindow { start = (value, startWindow) }
          return (queue.send(value), nil, dropped)
        case .publishLast(let value, let completion):
          return (queue.send(value), completion, dropped)
        case .complete(let completion):
          last = exchange(&window, with: nil)
          return (.nothing, completion, dropped)
        }
      }
      // First, so that a late subscription of the pause's publisher is not asked for anything.
      last?.cancel()
      withExtendedLifetime(dropped) {
        forward(deliver(delivery))
        if let completion { send(completion: completion) }
        if let start { start.window(start.value, self) }
      }
    }

    /// Does nothing. The upstream was asked for unlimited demand.
    @inlinable
    override func receive(demand: Subscribers.Demand) {}

    @inlinable
    override func didEnd() {
      lock.withLock { window }?.close()
      super.didEnd()
      lock.withLock { exchange(&window, with: nil) }?.cancel()
      let (value, startWindow) = lock.withLock { (state.removeAll(), exchange(&self.startWindow, with: nil)) }
      withExtendedLifetime((value, startWindow)) {}
    }

    @usableFromInline
    var description: String { "Throttle" }
  }
}
