import CombineCore

extension SpecModels {

  /// `throttle` with a window that each published element begins, until another publisher sends a value or
  /// finishes.
  public struct ThrottleWindow<Output, Failure: Error>: Publisher {

    /// Begins a window, and calls the first closure at its end, or the second one with a failure.
    typealias Begin = (Output, Inner) -> Void

    private let upstream: AnyPublisher<Output, Failure>
    private let latest: Bool
    private let begin: Begin

    public init(
      _ upstream: some Publisher<Output, Failure>,
      latest: Bool,
      until window: @escaping (Output) -> some Publisher<Output, Failure>
    ) {
      self.upstream = upstream.eraseToAnyPublisher()
      self.latest = latest
      begin = { value, inner in
        let (side, cancel) = inner.windowSide()
        if inner.keep(cancel) { window(value).subscribe(side) }
      }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, latest: latest, begin: begin)
      inner.start()
      if !inner.isClosed { upstream.subscribe(inner) }
    }

    final class Inner: Queued<Output, Failure, Output, Failure> {

      private let latest: Bool
      private let begin: Begin
      private var isInWindow = false
      private var pending: Output?
      private var end: Subscribers.Completion<Failure>?
      private var cancelWindow: (() -> Void)?

      init(downstream: any Subscriber<Output, Failure>, latest: Bool, begin: @escaping Begin) {
        self.latest = latest
        self.begin = begin
        super.init(name: "Throttle", downstream: downstream)
      }

      func keep(_ cancel: @escaping () -> Void) -> Bool {
        if isClosed { return false }
        let previous = cancelWindow
        cancelWindow = cancel
        previous?()
        return true
      }

      override func receive(subscription: any Subscription) {
        if accept(subscription) { subscription.request(.unlimited) }
      }

      override func ask(_ demand: Subscribers.Demand) {}

      override func receive(_ input: Output) -> Subscribers.Demand {
        if isClosed || end != nil { return .none }
        if isInWindow {
          if latest || pending == nil { pending = input }
        } else if unserved > .none {
          publish(input)
        }
        return .none
      }

      private func publish(_ value: Output) {
        isInWindow = true
        send(value)
        begin(value, self)
      }

      override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
        if isClosed { return }
        end = completion
        guard pending == nil else { return }
        let cancel = cancelWindow
        cancelWindow = nil
        cancel?()
        complete(completion)
      }

      func endWindow() {
        let cancel = cancelWindow
        cancelWindow = nil
        cancel?()
        guard isInWindow, !isClosed else { return }
        let value = pending
        let hasDemand = unserved > .none
        pending = nil
        isInWindow = value != nil && hasDemand && end == nil
        guard let value else { return }
        if let end {
          if hasDemand { send(value) }
          complete(end)
        } else if hasDemand {
          publish(value)
        }
      }

      /// The subscriber to a window, of which one element is requested, and a closure that cancels it.
      func windowSide() -> (Constituent<Output, Failure>, () -> Void) {
        let side = Constituent<Output, Failure>()
        var subscription: (any Subscription)?
        var isOver = false
        side.onSubscription = { [self] new in
          guard !isClosed, !isOver, subscription == nil else { return new.cancel() }
          subscription = new
          new.request(.max(1))
        }
        side.onValue = { [self] _ in
          if !isOver, subscription != nil { endWindow() }
          return .none
        }
        side.onCompletion = { [self] completion in
          if isOver { return }
          isOver = true
          subscription = nil
          if case .failure = completion {
            cancelUpstream()
            completeAtOnce(completion)
          } else {
            endWindow()
          }
        }
        return (
          side,
          {
            isOver = true
            let last = subscription
            subscription = nil
            last?.cancel()
          }
        )
      }

      override func didEnd() {
        super.didEnd()
        pending = nil
        let cancel = cancelWindow
        cancelWindow = nil
        cancel?()
      }
    }
  }
}
