/// What a subscriber that tasks wait at knows: the pure state machine behind ``AsyncSubscriber``.
///
/// awaiting → subscribed → terminal. Each method is one event and returns what is to be done, with no lock held.
/// `Waiter` stands for a suspended task; the machine hands each out once, to be resumed.
@usableFromInline
struct AsyncSubscriberState<Failure: Error, Waiter>: ~Copyable {

  @usableFromInline
  enum Phase {

    /// No subscription has arrived; so much will be asked of it.
    case awaiting(demand: Subscribers.Demand)

    /// Connected.
    case subscribed(any Subscription)

    /// Completed or cancelled. A failure that nobody waited for is kept for the next to ask.
    case terminal(Failure?)
  }

  @usableFromInline
  var phase = Phase.awaiting(demand: .none)

  /// The tasks that wait for a value, the oldest first. Empty once terminal.
  @usableFromInline
  var waiters = Deque<Waiter>()

  /// How many values are kept that nobody had asked for. While there are any, nobody waits.
  @usableFromInline
  var keptCount = 0

  /// Whether a publisher of ours that sends unasked has sent a value. From then on a value too many is kept, whoever
  /// sends it: an unasked value may have gone to a waiter whose request is still to come.
  @usableFromInline
  var hasMetUnasked = false

  @inlinable
  init() {}

  // MARK: A task asks

  @usableFromInline
  enum NextAction {

    /// The task waits; nothing else is to be done.
    case wait

    /// The task waits, and one value is to be requested.
    case request(any Subscription)

    /// The task resumes with the oldest value that is kept.
    case takeKept

    /// There will be no value; the task resumes with the failure if there is one, with `nil` otherwise.
    case resume(Failure?)
  }

  /// A task asks for a value.
  @inlinable
  mutating func next(_ waiter: Waiter) -> NextAction {
    if keptCount > 0 {
      keptCount -= 1
      return .takeKept
    }
    switch phase {
    case .awaiting(let demand):
      phase = .awaiting(demand: demand + 1)
      waiters.append(waiter)
      return .wait
    case .subscribed(let subscription):
      waiters.append(waiter)
      return .request(subscription)
    case .terminal(let failure):
      phase = .terminal(nil)
      return .resume(failure)
    }
  }

  // MARK: Upstream speaks

  @usableFromInline
  enum SubscriptionAction: Equatable {

    /// The subscription is to be asked for so much, unless for nothing.
    case request(Subscribers.Demand)

    /// It is one too many.
    case cancel
  }

  /// A subscription arrives.
  @inlinable
  mutating func accept(_ subscription: any Subscription) -> SubscriptionAction {
    guard case .awaiting(let demand) = phase else { return .cancel }
    phase = .subscribed(subscription)
    return .request(demand)
  }

  @usableFromInline
  enum ValueAction: ~Copyable {

    /// The value goes to this waiter.
    case resume(Waiter)

    /// The value is dropped, and these waiters resume with `nil`.
    case drop(Deque<Waiter>)

    /// Nobody asked for the value yet: it is kept.
    case keep

    /// The value says no more than the one that is kept.
    case merge

    /// Nobody asked for the value.
    case trap
  }

  /// A value arrives.
  ///
  /// - Parameter unasked: The mark of the delivery.
  @inlinable
  mutating func value(_ unasked: UnaskedDelivery? = nil) -> ValueAction {
    if unasked != nil { hasMetUnasked = true }
    switch phase {
    case .awaiting:
      return .drop(takeWaiters())
    case .subscribed:
      if let waiter = waiters.popFirst() { return .resume(waiter) }
      guard hasMetUnasked else { return .trap }
      if unasked == .announcement, keptCount > 0 { return .merge }
      keptCount += 1
      return .keep
    case .terminal:
      return .drop(Deque())
    }
  }

  // MARK: The end

  /// What to do when the state has become terminal, or was so before: then nothing.
  @usableFromInline
  struct Ending: ~Copyable {

    /// The phase that was left: holds what is to be released, or cancelled.
    @usableFromInline
    var phase: Phase

    /// The one that the failure is thrown to.
    @usableFromInline
    var failing: Waiter?

    /// Those that resume with `nil`, in this order.
    @usableFromInline
    var finishing: Deque<Waiter>

    @inlinable
    init(phase: Phase, failing: Waiter?, finishing: consuming Deque<Waiter>) {
      self.phase = phase
      self.failing = failing
      self.finishing = finishing
    }

    /// The subscription, if there was one.
    @inlinable
    var subscription: (any Subscription)? {
      guard case .subscribed(let subscription) = phase else { return nil }
      return subscription
    }
  }

  /// A completion arrives.
  @inlinable
  mutating func complete(_ completion: Subscribers.Completion<Failure>) -> Ending {
    if case .terminal = phase { return Ending(phase: .terminal(nil), failing: nil, finishing: Deque()) }
    guard case .failure(let error) = completion else { return end(.terminal(nil)) }
    guard let failing = waiters.popFirst() else { return end(.terminal(error)) }
    var ending = end(.terminal(nil))
    ending.failing = failing
    return ending
  }

  /// The wait is cancelled.
  @inlinable
  mutating func cancel() -> Ending {
    keptCount = 0
    return end(.terminal(nil))
  }

  @inlinable
  mutating func end(_ last: Phase) -> Ending {
    Ending(phase: exchange(&phase, with: last), failing: nil, finishing: takeWaiters())
  }

  @inlinable
  mutating func takeWaiters() -> Deque<Waiter> {
    var taken = Deque<Waiter>()
    swap(&taken, &waiters)
    return taken
  }
}

/// A subscriber that tasks wait at for the next value: what async sequences and `Future.value` are made of.
///
/// It asks upstream for one value for each call of ``next(isolation:)``, so that the consumer's pace is the publisher's.
/// It keeps only what a publisher of ours sends without being asked. Upstream is called, and tasks are resumed, with the lock free: a publisher may deliver inside
/// `request`, and on any thread.
@usableFromInline
final class AsyncSubscriber<Input, Failure: Error>: Subscriber, Cancellable {

  /// Resumed with a value, with `nil` at the end, or with the failure.
  @usableFromInline
  typealias Waiter = UnsafeContinuation<Result<Input?, Failure>, Never>

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var state = AsyncSubscriberState<Failure, Waiter>()

  /// The values that nobody had asked for, the oldest first: as many as the state counts.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var kept = Deque<Input>()

  @inlinable
  init() {}

  // MARK: For tasks

  /// Waits for a value, on the actor of the caller, so that a value need not be `Sendable`.
  ///
  /// - Parameter isolation: The actor that the caller is on.
  /// - Returns: The value; `nil` at the end.
  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    let result = await withUnsafeContinuation(isolation: isolation) { (waiter: Waiter) in
      var value: Input?
      let action = lock.withLock {
        let action = state.next(waiter)
        if case .takeKept = action { value = kept.popFirst() }
        return action
      }
      switch action {
      case .wait: break
      case .takeKept:
        // As in `receive(_:)`.
        nonisolated(unsafe) let result = Result<Input?, Failure>.success(value)
        waiter.resume(returning: result)
      case .request(let subscription): subscription.request(.max(1))
      case .resume(let failure?): waiter.resume(returning: .failure(failure))
      case .resume(nil): waiter.resume(returning: .success(nil))
      }
    }
    return try result.get()
  }

  /// Waits for a value as ``next(isolation:)`` does. If the task is cancelled, now or before, so is this subscriber.
  ///
  /// - Parameter isolation: The actor that the caller is on.
  /// - Returns: The value; `nil` at the end.
  @inlinable
  func nextUnlessCancelled(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    // The handler may run before the task waits, while it does, and after: a cancel ends the state for good, and who
    // asks then does not wait. As a result, because `withTaskCancellationHandler` forgets the type of an error.
    let result = await withTaskCancellationHandler(
      operation: { () async -> Result<Input?, Failure> in
        do throws(Failure) {
          return .success(try await next(isolation: isolation))
        } catch {
          return .failure(error)
        }
      },
      onCancel: { self.cancel() },
      isolation: isolation
    )
    return try result.get()
  }

  /// Ends the wait: cancels upstream, then has all waiters go on with `nil`.
  @usableFromInline
  func cancel() {
    var dropped = Deque<Input>()
    let ending = lock.withLock {
      swap(&dropped, &kept)
      return state.cancel()
    }
    ending.subscription?.cancel()
    finish(ending.finishing)
    _ = consume dropped  // With the lock free.
  }

  // MARK: For the upstream

  @inlinable
  func receive(subscription: any Subscription) {
    switch lock.withLock({ state.accept(subscription) }) {
    case .request(.none): break
    case .request(let demand): subscription.request(demand)
    case .cancel: subscription.cancel()
    }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    let unasked = UnaskedDelivery.current
    // Announcements are alike if they carry nothing.
    let mark = unasked == .announcement && Input.self != Void.self ? .value : unasked
    let action = lock.withLock {
      let action = state.value(mark)
      if state.keptCount > kept.count { kept.append(input) }
      return action
    }
    switch consume action {
    case .keep:
      break
    case .merge:
      break
    case .resume(let waiter):
      // Handed over to whoever waits. Who else has it is between the publisher and its user, as in all of Combine.
      nonisolated(unsafe) let result = Result<Input?, Failure>.success(input)
      waiter.resume(returning: result)
    case .drop(let waiters):
      finish(waiters)
    case .trap:
      Misuse.trap("Publisher.values", .outputWithoutDemand)
    }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    let ending = lock.withLock { state.complete(completion) }
    if let failing = ending.failing, case .failure(let error) = completion {
      failing.resume(returning: .failure(error))
    }
    finish(ending.finishing)
  }

  @usableFromInline
  func finish(_ waiters: consuming Deque<Waiter>) {
    while let waiter = waiters.popFirst() { waiter.resume(returning: .success(nil)) }
  }
}

// The state is behind the lock. So are values that are kept; the rest go from the thread that sends them to the task
// that waits.
extension AsyncSubscriber: @unchecked Sendable {}

/// One iteration over a publisher, shared by the copies of an iterator. When the last copy goes, upstream is cancelled.
@usableFromInline
struct AsyncIteration<Input, Failure: Error> {

  @usableFromInline
  let subscriber = AsyncSubscriber<Input, Failure>()

  /// Upstream keeps the subscriber alive, so its own end would come too late.
  @usableFromInline
  let cancellable: AnyCancellable

  /// Subscribes to a publisher.
  @inlinable
  init<P: Publisher>(_ publisher: P) where P.Output == Input, P.Failure == Failure {
    cancellable = AnyCancellable(subscriber)
    publisher.subscribe(subscriber)
  }

  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    // Not before the task has gone on: nothing but this cancels what it waits for.
    defer { withExtendedLifetime(cancellable) {} }
    return try await subscriber.nextUnlessCancelled(isolation: isolation)
  }
}

extension AsyncIteration: Sendable {}
