import CombineCore

/// A publisher of the elements of one window; see `window(_:every:)`.
///
/// Its elements wait for its first subscriber. Any other subscriber receives a finish only.
///
/// ```swift
/// let sums = [1, 2, 3, 4, 5].publisher.window(2).flatMap { $0.reduce(0, +) }
/// let cancellable = sums.sink { print($0) }  // prints 3, 7, 5
/// cancellable.cancel()
/// ```
public struct WindowPublisher<Output, Failure: Error>: Publisher {

  let elements: Unicast<Output, Failure>

  /// Subscribes `subscriber` to the window, unless the window has a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    ExtraConduits.UnicastMember(downstream: subscriber, unicast: elements).start()
  }
}

extension ExtraConduits {

  /// The conduit of windows as publishers.
  @usableFromInline
  final class Windows<Input, Downstream: Subscriber>: WindowConduit<Input, Downstream>, UnicastParent, DescribedByName
  where Downstream.Input == WindowPublisher<Input, Downstream.Failure> {

    @usableFromInline
    typealias Value = Input

    private typealias Window = Unicast<Input, Downstream.Failure>

    /// What is sent, in the order of the changes. Elements and the timers come on several threads.
    private enum Action {
      case open(Window)
      case send(Input, to: Window)
      case complete(Window, Completion)
      case completeAll(Completion)
    }

    @exclusivity(unchecked)  // These three: only with the lock held.
    private var actions = Deque<Action>()

    /// Whether a call performs the actions. Others leave theirs to it.
    @exclusivity(unchecked)
    private var isActing = false

    /// The open windows, with `nil` for those that opened after the downstream had cancelled.
    @exclusivity(unchecked)
    private var list: [Window?] = []

    // MARK: With the lock held

    @usableFromInline
    override func apply(_ change: WindowChange, _ input: Input?) -> Machine.Delivery {
      close(change.expired)
      if change.opens { openWindow() }
      if let input {
        for case let window? in list { actions.append(.send(input, to: window)) }
      }
      close(change.filled)
      if change.reopens { openWindow() }
      return .nothing
    }

    @usableFromInline
    override func apply(_ completion: Completion) -> Machine.Delivery {
      close(list.count, completion)
      actions.append(.completeAll(completion))
      return .nothing
    }

    private func openWindow() {
      let window = isClosedLocked ? nil : Window(parent: self)
      list.append(window)
      if let window { actions.append(.open(window)) }
    }

    private func close(_ count: Int, _ completion: Completion = .finished) {
      guard count > 0 else { return }
      for case let window? in list.prefix(count) { actions.append(.complete(window, completion)) }
      list.removeFirst(min(count, list.count))
    }

    // MARK: With the lock free

    @usableFromInline
    override func didChange() {
      guard lock.withLock({ actions.isEmpty || exchange(&isActing, with: true) ? false : true }) else { return }
      while let action = lock.withLock({ nextAction() }) { perform(action) }
    }

    private func nextAction() -> Action? {
      if let action = actions.popFirst() { return action }
      isActing = false
      return nil
    }

    private func perform(_ action: Action) {
      switch action {
      case .open(let window):
        send(WindowPublisher(elements: window))
      case .send(let input, let window):
        window.send(input)
      case .complete(let window, let completion):
        window.send(completion: completion)
        cancelIfUnused()
      case .completeAll(let completion):
        send(completion: completion)
      }
    }

    @usableFromInline
    override func didEnd() {
      cancelIfUnused()
    }

    @usableFromInline
    func close(_ window: Unicast<Input, Downstream.Failure>) {
      cancelIfUnused()
    }

    /// Cancels the upstream when neither the downstream nor the subscriber of a window is left.
    private func cancelIfUnused() {
      let (isClosed, candidates) = lock.withLock { (isClosedLocked, list) }
      guard isClosed, !candidates.contains(where: { $0?.isSubscribed == true }) else { return }
      cancelUpstream()
      // Only now, because a call that has seen the upstream may still store a timer before.
      cancelTimers()
      // A subscriber that comes later gets what has arrived.
      for case let window? in lock.withLock({ exchange(&list, with: []) }) { window.send(completion: .finished) }
    }

    @usableFromInline
    var description: String { "Window" }
  }
}
