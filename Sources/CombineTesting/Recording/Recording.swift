import CombineThreads
import CombineCore

/// The subscriber of a ``Recorder``, on which tasks wait.
///
/// It resumes tasks with no lock held.
final class Recording<Input, Failure: Error>: Subscriber, Cancellable {

  private typealias Waiter = UnsafeContinuation<RecorderOutcome, Never>

  private enum Phase {
    case awaiting
    case subscribed(any Subscription)
    case ended
  }

  private let lock = Lock()

  @exclusivity(unchecked)  // These four: only with the lock held.
  private var phase = Phase.awaiting

  @exclusivity(unchecked)
  private var values: [Input] = []

  @exclusivity(unchecked)
  private var completion: Subscribers.Completion<Failure>?

  @exclusivity(unchecked)
  private var state = RecorderState<Waiter>()

  /// The signals received so far.
  var snapshot: (values: [Input], completion: Subscribers.Completion<Failure>?) {
    lock.withLock { (values, completion) }
  }

  // MARK: For tasks

  /// Waits until the condition is met, the timeout passes, or the task is cancelled.
  func wait(for need: RecorderNeed, timeout: Duration, isolation: isolated (any Actor)?) async -> RecorderOutcome {
    let id = lock.withLock { state.announce() }
    // Detached, because the caller's actor may be busy.
    let alarm = Task.detached {
      guard (try? await Task.sleep(for: timeout)) != nil else { return }
      self.giveUp(id, .timedOut)
    }
    defer { alarm.cancel() }
    return await withTaskCancellationHandler(
      operation: {
        await withUnsafeContinuation(isolation: isolation) { (waiter: Waiter) in
          let outcome = lock.withLock { state.wait(id, for: need, waiter) }
          if let outcome { waiter.resume(returning: outcome) }
        }
      },
      onCancel: { giveUp(id, .cancelled) },
      isolation: isolation
    )
  }

  private func giveUp(_ id: Int, _ outcome: RecorderOutcome) {
    resume(lock.withLock { state.giveUp(id, outcome) })
  }

  private func resume(_ resumptions: [RecorderState<Waiter>.Resumption]) {
    for (waiter, outcome) in resumptions { waiter.resume(returning: outcome) }
  }

  // MARK: For the upstream

  func receive(subscription: any Subscription) {
    let isFirst = lock.withLock {
      guard case .awaiting = phase else { return false }
      phase = .subscribed(subscription)
      return true
    }
    if isFirst { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    resume(
      lock.withLock {
        guard case .subscribed = phase else { return [] }
        values.append(input)
        return state.value()
      }
    )
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let (resumptions, last) = lock.withLock { () -> ([RecorderState<Waiter>.Resumption], Phase) in
      if case .ended = phase { return ([], .ended) }
      self.completion = completion
      return (state.complete(), exchange(&phase, with: .ended))
    }
    withExtendedLifetime(last) {}  // Released with no lock held.
    resume(resumptions)
  }

  func cancel() {
    let last = lock.withLock { exchange(&phase, with: .ended) }
    if case .subscribed(let subscription) = last { subscription.cancel() }
  }
}

// All mutable state is accessed with the lock held. A value moves from the thread that sends it to the task that takes
// it. As everywhere in Combine, the publisher and its user decide who else accesses it.
extension Recording: @unchecked Sendable {}
