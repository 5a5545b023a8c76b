/// The pure state machine behind ``AsyncSubscriber``, a subscriber for whose elements tasks wait.
///
/// The phases are awaiting → subscribed → terminal. Each method is one event and returns the actions to carry out, with
/// no lock held. `Waiter` stands for a suspended task. The machine returns each waiter once, to be resumed.
@usableFromInline
struct AsyncSubscriberMachine<Failure: Error, Waiter>: ~Copyable {

  @usableFromInline
  enum Phase {

    /// No subscription has arrived. `demand` will be requested from it.
    case awaiting(demand: Subscribers.Demand)

    /// A subscription has arrived.
    case subscribed(any Subscription)

    /// The publisher has completed, or the subscriber was cancelled.
    ///
    /// A failure that no task waited for is kept for the next call.
    case terminal(Failure?)
  }

  @usableFromInline
  var phase = Phase.awaiting(demand: .none)

  /// The tasks that wait for an element, the oldest first. It is empty once the phase is terminal.
  @usableFromInline
  var waiters = Deque<Waiter>()

  /// The number of kept elements that were not requested. While there are any, no task waits.
  @usableFromInline
  var keptCount = 0

  /// Whether a publisher of this package that sends unrequested elements has sent one.
  ///
  /// From then on the subscriber keeps any excess element, whichever publisher sends it. An unrequested element may
  /// have gone to a waiter whose request is still to come.
  @usableFromInline
  var hasMetUnrequested = false

  @inlinable
  init() {}

  // MARK: A task asks

  @usableFromInline
  enum NextAction {

    /// The task waits. No other action is due.
    case wait

    /// The task waits, and one element must be requested.
    case request(any Subscription)

    /// The task resumes with the oldest kept element.
    case takeKept

    /// No element will come. The task resumes with the failure if there is one, else with `nil`.
    case resume(Failure?)
  }

  /// Handles a task that waits for the next element.
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

  /// Whether an element that arrives now goes to a task, or is kept.
  @inlinable
  var isSubscribed: Bool {
    guard case .subscribed = phase else { return false }
    return true
  }

  // MARK: Upstream speaks

  @usableFromInline
  enum SubscriptionAction: Equatable {

    /// The demand to request from the subscription, unless it is zero.
    case request(Subscribers.Demand)

    /// The subscription is a second one and must be cancelled.
    case cancel
  }

  /// Handles a subscription that arrives.
  @inlinable
  mutating func accept(_ subscription: any Subscription) -> SubscriptionAction {
    guard case .awaiting(let demand) = phase else { return .cancel }
    phase = .subscribed(subscription)
    return .request(demand)
  }

  @usableFromInline
  enum ValueAction: ~Copyable {

    /// This waiter resumes with the element.
    case resume(Waiter)

    /// The element is dropped, and these waiters resume with `nil`.
    case drop(Deque<Waiter>)

    /// The element was not requested yet and is kept.
    case keep

    /// The element is an announcement that a kept one already stands for.
    case merge

    /// The element was not requested, which is a programming error.
    case trap
  }

  /// Handles an element that arrives.
  ///
  /// - Parameter unrequested: The mark of the delivery, if the element was not requested.
  @inlinable
  mutating func value(_ unrequested: UnrequestedDelivery? = nil) -> ValueAction {
    if unrequested != nil { hasMetUnrequested = true }
    switch phase {
    case .awaiting:
      return .drop(takeWaiters())
    case .subscribed:
      if let waiter = waiters.popFirst() { return .resume(waiter) }
      guard hasMetUnrequested else { return .trap }
      if unrequested == .announcement, keptCount > 0 { return .merge }
      keptCount += 1
      return .keep
    case .terminal:
      return .drop(Deque())
    }
  }

  // MARK: The end

  /// The actions to carry out when the state has become terminal. They are empty if it was terminal before.
  @usableFromInline
  struct Ending: ~Copyable {

    /// The previous phase, with the objects that must be released or cancelled.
    @usableFromInline
    var phase: Phase

    /// The waiter to which the failure is thrown.
    @usableFromInline
    var failing: Waiter?

    /// The waiters that resume with `nil`, in this order.
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

  /// Handles a completion that arrives.
  @inlinable
  mutating func complete(_ completion: Subscribers.Completion<Failure>) -> Ending {
    if case .terminal = phase { return Ending(phase: .terminal(nil), failing: nil, finishing: Deque()) }
    guard case .failure(let error) = completion else { return end(.terminal(nil)) }
    guard let failing = waiters.popFirst() else { return end(.terminal(error)) }
    var ending = end(.terminal(nil))
    ending.failing = failing
    return ending
  }

  /// Handles a cancellation.
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

/// A subscriber for whose elements tasks wait. Asynchronous sequences and `Future.value` use it.
///
/// It requests one element from the upstream for each call of ``next(isolation:)``, so the consumer sets the pace of
/// the publisher. It keeps only elements that a publisher of this package sends without a request. It calls the
/// upstream and resumes tasks outside the lock, because a publisher may deliver within `request`, and on any thread.
@usableFromInline
final class AsyncSubscriber<Input, Failure: Error>: Subscriber, Cancellable {

  /// A suspended task. It is resumed with an element, with `nil` at the end, or with the failure.
  @usableFromInline
  typealias Waiter = UnsafeContinuation<Result<Input?, Failure>, Never>

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var state = AsyncSubscriberMachine<Failure, Waiter>()

  /// The kept elements that were not requested, the oldest first. Their number is the state's `keptCount`.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var kept = Deque<Input>()

  /// The elements that went to a task, or are kept, the oldest first, if their publisher waits for what becomes of them. An
  /// element is handled when a task asks for the next one, because then the body of the loop has ended.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var deferred = Deque<any DeferrableElement>()

  @inlinable
  init() {}

  // MARK: For tasks

  /// Waits for an element on the caller's actor, so that the element need not be `Sendable`.
  ///
  /// - Parameter isolation: The caller's actor.
  /// - Returns: The element, or `nil` at the end.
  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    let result = await withUnsafeContinuation(isolation: isolation) { (waiter: Waiter) in
      var value: Input?
      var handled: (any DeferrableElement)?
      let action = lock.withLock {
        handled = deferred.popFirst()
        let action = state.next(waiter)
        if case .takeKept = action { value = kept.popFirst() }
        return action
      }
      // Before the request, so that the publisher never counts more elements than were asked for.
      handled?.complete(isHandled: true)
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

  /// Waits for an element as ``next(isolation:)`` does.
  ///
  /// If the task is cancelled, now or before, it cancels this subscriber.
  ///
  /// - Parameter isolation: The caller's actor.
  /// - Returns: The element, or `nil` at the end.
  @inlinable
  func nextUnlessCancelled(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    // The handler may run before, while or after the task waits. A cancellation makes the state terminal for good, so a
    // later call does not wait. The operation returns a `Result`, because `withTaskCancellationHandler` does not
    // preserve the type of an error.
    let result = await withTaskCancellationHandler(
      operation: { () async -> Result<Input?, Failure> in
        do throws(Failure) {
          return .success(try await next(isolation: isolation))
        } catch {
          return .failure(error)
        }
      },
      // The body of the loop may have ended before the task was cancelled. So its element is not refused.
      onCancel: { self.cancel(refusing: false) },
      isolation: isolation
    )
    return try result.get()
  }

  /// Cancels the upstream, and then resumes all waiters with `nil`. The element in work is refused.
  @usableFromInline
  func cancel() {
    cancel(refusing: true)
  }

  @usableFromInline
  func cancel(refusing: Bool) {
    var dropped = Deque<Input>()
    var refused = Deque<any DeferrableElement>()
    let ending = lock.withLock {
      swap(&dropped, &kept)
      if refusing { swap(&refused, &deferred) }
      return state.cancel()
    }
    ending.subscription?.cancel()
    while let element = refused.popFirst() { element.complete(isHandled: false) }
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
    let unrequested = UnrequestedDelivery.current
    // Announcements are interchangeable only if they carry no value.
    let mark = unrequested == .announcement && Input.self != Void.self ? .value : unrequested
    let action = lock.withLock {
      if state.isSubscribed, let element = DeliveryReceipt.defer() { deferred.append(element) }
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
      // The element moves to the waiting task. Whether other code shares it is a matter between the publisher and its
      // user, as in all of Combine.
      nonisolated(unsafe) let result = Result<Input?, Failure>.success(input)
      waiter.resume(returning: result)
    case .drop(let waiters):
      DeliveryReceipt.refuse()
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

// The lock guards the state and the kept elements. Other elements move from the sending thread to the waiting task.
extension AsyncSubscriber: @unchecked Sendable {}

/// One iteration over a publisher, which the copies of an iterator share.
///
/// The upstream is cancelled when the last copy is released.
@usableFromInline
struct AsyncIteration<Input, Failure: Error> {

  @usableFromInline
  let subscriber = AsyncSubscriber<Input, Failure>()

  /// The upstream keeps the subscriber alive, so the deinitializer of the subscriber would run too late to cancel.
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
    // The iteration stays alive until the task has resumed, because its release would cancel the subscription that the
    // task waits for.
    defer { withExtendedLifetime(cancellable) {} }
    return try await subscriber.nextUnlessCancelled(isolation: isolation)
  }
}

extension AsyncIteration: Sendable {}
