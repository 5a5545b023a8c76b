import CombineThreads
import Synchronization

/// What a waiting task is resumed with.
@usableFromInline
enum AwaitedOutcome {

  /// An element, at an address.
  case value(UnsafeMutableRawPointer)

  /// The failure, at an address.
  case failure(UnsafeMutableRawPointer)

  /// The end.
  case end
}

// The task that is resumed takes what lies at the address. No other code uses it until then.
extension AwaitedOutcome: @unchecked Sendable {}

/// What a task that asks for an element knows at once.
@usableFromInline
enum ImmediateAnswer {

  /// The outcome.
  case outcome(AwaitedOutcome)

  /// The outcome will come.
  case pending

  /// Nothing was asked, as other tasks wait or the subscription has not arrived.
  case refused
}

/// A subscriber for whose elements tasks wait. Asynchronous sequences and `Future.value` use it.
///
/// It requests one element from the upstream for each call of ``next(isolation:)``, so the consumer sets the pace of
/// the publisher. A task requests first, then looks, and suspends only if nothing has come. The subscriber keeps only
/// elements that a publisher of this package sends without a request. It calls the upstream and resumes tasks outside
/// the lock, because a publisher may deliver within `request`, and on any thread.
///
/// An element moves to the waiting task: whether other code shares it is a matter between the publisher and its user,
/// as in all of Combine. It lies at an address meanwhile. A continuation with an optional element would make a debug
/// build look up that type a dozen times.
@usableFromInline
final class AsyncSubscriber<Input, Failure: Error>: Subscriber, Cancellable {

  @usableFromInline
  typealias Waiter = UnsafeContinuation<AwaitedOutcome, Never>

  @usableFromInline
  let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var state = AsyncSubscriberMachine()

  /// The tasks that wait for an element, the oldest first. Their number is the state's `waiterCount`.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var waiters = Deque<Waiter>()

  /// The outcome for the asker that the state knows, when it is answered.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var answer = AwaitedOutcome.end

  /// The subscription, if the state is subscribed.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var subscription: SubscriptionObject?

  /// The kept elements that were not requested, the oldest first. Their number is the state's `keptCount`.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var kept = Deque<Input>()

  /// The kept failure.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var failure: UnsafeMutablePointer<Failure>?

  /// Where an element lies while it moves to a task. A second one that is on its way meanwhile has an address of its own.
  @usableFromInline
  let place = UnsafeMutablePointer<Input>.allocate(capacity: 1)

  /// Whether no element lies at ``place``. A sender clears it, with the lock held. The task that takes the element sets it.
  @usableFromInline
  let isPlaceFree = Atomic<Bool>(true)

  /// The elements that went to a task, or are kept, the oldest first, if their publisher waits for what becomes of them. An
  /// element is handled when a task asks for the next one, because then the body of the loop has ended.
  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  var deferred = Deque<any DeferrableElement>()

  @inlinable
  init() {}

  deinit {
    // A task that is resumed holds this object until it has taken the element.
    place.deallocate()
    failure?.deinitialize(count: 1)
    failure?.deallocate()
  }

  // MARK: For tasks

  /// Waits for an element on the caller's actor, so that the element need not be `Sendable`.
  ///
  /// - Parameter isolation: The caller's actor.
  /// - Returns: The element, or `nil` at the end.
  @inlinable
  func next(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    try take(await outcome(isolation: isolation))
  }

  /// Waits for an element as ``next(isolation:)`` does.
  ///
  /// If the task is cancelled, now or before, it cancels this subscriber.
  ///
  /// - Parameter isolation: The caller's actor.
  /// - Returns: The element, or `nil` at the end.
  @inlinable
  func nextUnlessCancelled(isolation: isolated (any Actor)?) async throws(Failure) -> Input? {
    // The handler may run before, while or after the task asks or waits. A cancellation makes the state terminal for good, so
    // a later call does not wait. It is around the request, too: `(1...).publisher.filter { _ in false }` never returns from it.
    try take(
      await withTaskCancellationHandler(
        operation: { await outcome(isolation: isolation) },
        // The body of the loop may have ended before the task was cancelled. So its element is not refused.
        onCancel: { self.cancel(refusing: false) },
        isolation: isolation
      )
    )
  }

  /// Asks for an element, and suspends the task if the outcome is not there at once.
  @inlinable
  func outcome(isolation: isolated (any Actor)?) async -> AwaitedOutcome {
    let answer = ask(nil)
    if case .outcome(let outcome) = answer { return outcome }
    return await withUnsafeContinuation(isolation: isolation) { (waiter: Waiter) in
      if case .pending = answer {
        suspend(waiter)
      } else if case .outcome(let outcome) = ask(waiter) {
        waiter.resume(returning: outcome)
      }
    }
  }

  /// Asks for an element.
  ///
  /// - Parameter waiter: The suspended task; `nil` for one that does not suspend unless the answer is pending.
  @inlinable
  func ask(_ waiter: Waiter?) -> ImmediateAnswer {
    var handled: (any DeferrableElement)?
    var upstream: SubscriptionObject?
    var outcome = AwaitedOutcome.end
    lock.lock()
    guard let action = waiter == nil ? state.ask() : state.next() else {
      lock.unlock()
      return .refused
    }
    if !deferred.isEmpty { handled = deferred.removeFirst() }
    switch action {
    case .wait, .request:
      if let waiter { waiters.append(waiter) }
      if action == .request { upstream = subscription }
    case .takeKept: outcome = .value(makePlace(for: kept.removeFirst()))
    case .fail: outcome = takeFailure()
    case .end: break
    }
    lock.unlock()
    // Before the request, so that the publisher never counts more elements than were asked for.
    handled?.complete(isHandled: true)
    switch action {
    case .wait: return .pending
    case .request:
      upstream.unsafelyUnwrapped.request(.max(1))
      return waiter == nil ? look() : .pending
    case .takeKept, .fail, .end: return .outcome(outcome)
    }
  }

  /// Looks whether the request of this task has brought its outcome.
  @inlinable
  func look() -> ImmediateAnswer {
    lock.lock()
    let isThere = state.look()
    let outcome = answer
    lock.unlock()
    return isThere ? .outcome(outcome) : .pending
  }

  /// Suspends a task whose request has brought nothing yet.
  @usableFromInline
  @inline(never)
  func suspend(_ waiter: Waiter) {
    lock.lock()
    let isWaiting = state.suspend()
    if isWaiting { waiters.prepend(waiter) }
    let outcome = answer
    lock.unlock()
    if !isWaiting { waiter.resume(returning: outcome) }
  }

  /// Takes the kept failure. With the lock held.
  @usableFromInline
  @inline(never)
  func takeFailure() -> AwaitedOutcome {
    let failure = exchange(&failure, with: nil)
    return failure.map { .failure(UnsafeMutableRawPointer($0)) } ?? .end
  }

  /// Puts an element where the task that is about to be resumed finds it. With the lock held.
  @inlinable
  func makePlace(for value: Input) -> UnsafeMutableRawPointer {
    let address = isPlaceFree.load(ordering: .acquiring) ? place : .allocate(capacity: 1)
    address.initialize(to: value)
    // It releases for the thread sanitizer only, which does not see that the resumption orders the memory.
    isPlaceFree.store(false, ordering: .releasing)
    return UnsafeMutableRawPointer(address)
  }

  /// Takes what this task was resumed with.
  @inlinable
  func take(_ outcome: AwaitedOutcome) throws(Failure) -> Input? {
    switch outcome {
    case .value(let address): return take(at: address)
    case .failure(let address): throw Self.takeFailure(at: address)
    case .end: return nil
    }
  }

  @inlinable
  func take(at address: UnsafeMutableRawPointer) -> Input {
    let address = address.assumingMemoryBound(to: Input.self)
    _ = isPlaceFree.load(ordering: .acquiring)
    defer {
      if address == place {
        isPlaceFree.store(true, ordering: .releasing)
      } else {
        address.deallocate()
      }
    }
    return address.move()
  }

  @usableFromInline
  @inline(never)
  static func takeFailure(at address: UnsafeMutableRawPointer) -> Failure {
    let address = address.assumingMemoryBound(to: Failure.self)
    defer { address.deallocate() }
    return address.move()
  }

  /// Cancels the upstream, and then resumes all waiters with `nil`. The element in work is refused.
  @usableFromInline
  func cancel() {
    cancel(refusing: true)
  }

  @usableFromInline
  func cancel(refusing: Bool) {
    var upstream: SubscriptionObject?
    var finishing = Deque<Waiter>()
    var dropped = Deque<Input>()
    var refused = Deque<any DeferrableElement>()
    lock.lock()
    state.cancel()
    if state.answer() { answer = .end }
    swap(&upstream, &subscription)
    swap(&finishing, &waiters)
    swap(&dropped, &kept)
    let failure = exchange(&failure, with: nil)
    if refusing { swap(&refused, &deferred) }
    lock.unlock()
    upstream?.cancel()
    while let element = refused.popFirst() { element.complete(isHandled: false) }
    finish(finishing)
    // With the lock free.
    _ = consume dropped
    if let failure { _ = Self.takeFailure(at: UnsafeMutableRawPointer(failure)) }
  }

  // MARK: For the upstream

  @usableFromInline
  func receive(subscription: any Subscription) {
    lock.lock()
    let action = state.accept()
    if action != .cancel { self.subscription = subscription._object }
    lock.unlock()
    switch action {
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
    var waiter: Waiter?
    var address = UnsafeMutableRawPointer(place)
    lock.lock()
    if state.phase == .subscribed, let element = DeliveryReceipt.defer() { deferred.append(element) }
    let action = state.value(mark)
    switch action {
    case .answer: answer = .value(makePlace(for: input))
    case .resume:
      waiter = waiters.removeFirst()
      address = makePlace(for: input)
    case .keep: kept.append(input)
    case .drop: return drop()
    case .merge, .trap: break
    }
    lock.unlock()
    waiter?.resume(returning: .value(address))
    if action == .trap { Misuse.trap("Publisher.values", .outputWithoutDemand) }
    return .none
  }

  /// Drops the element that arrives. With the lock held, which it releases.
  @usableFromInline
  @inline(never)
  func drop() -> Subscribers.Demand {
    var finishing = Deque<Waiter>()
    swap(&finishing, &waiters)
    lock.unlock()
    DeliveryReceipt.refuse()
    finish(finishing)
    return .none
  }

  /// Resumes tasks with `nil`. Called with the lock free.
  @usableFromInline
  func finish(_ waiters: consuming Deque<Waiter>) {
    while !waiters.isEmpty { waiters.removeFirst().resume(returning: .end) }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    var failure: UnsafeMutablePointer<Failure>?
    if case .failure(let error) = completion {
      failure = .allocate(capacity: 1)
      failure?.initialize(to: error)
    }
    var released: SubscriptionObject?
    var finishing = Deque<Waiter>()
    lock.lock()
    let action = state.complete(isFailure: failure != nil)
    if action != .ignore {
      if state.answer() {
        answer = .end
        if action == .fail, let failure { answer = .failure(UnsafeMutableRawPointer(failure)) }
        failure = nil
      }
      swap(&released, &subscription)
      swap(&finishing, &waiters)
    }
    if action == .keep { self.failure = exchange(&failure, with: nil) }
    lock.unlock()
    if let failure {
      let address = UnsafeMutableRawPointer(failure)
      if action == .fail {
        finishing.removeFirst().resume(returning: .failure(address))
      } else {
        _ = Self.takeFailure(at: address)
      }
    }
    finish(finishing)
    withExtendedLifetime(released) {}  // Released with the lock free.
  }
}

// The lock guards the state and what is kept. Other elements move from the sending thread to the waiting task.
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
