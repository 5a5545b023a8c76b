import CombineCore

extension SpecModels {

  /// `prefix(_:)`, `output(at:)` and `output(in:)`. Rows `output.values`, `output.empty`, `output.out-of-order` and
  /// `output.nested`.
  public struct Slice<Upstream: Publisher>: Publisher {

    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let range: Range<Int>

    public init(_ upstream: Upstream, _ range: Range<Int>) {
      self.upstream = upstream
      self.range = range
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, range: range))
    }
  }
}

extension SpecModels.Slice {

  private final class Inner: Subscriber, Subscription, CustomStringConvertible {

    typealias Input = Upstream.Output

    let description = "Output"
    let downstream: any Subscriber<Output, Failure>

    var isAwaiting = true
    var upstream: (any Subscription)?
    var toSkip: Int
    var remaining: Int

    /// Whether the downstream has cancelled, for the events after the cancel of the upstream.
    var isCancelled = false

    init(downstream: any Subscriber<Output, Failure>, range: Range<Int>) {
      self.downstream = downstream
      toSkip = range.lowerBound
      remaining = range.count
    }

    func receive(subscription: any Subscription) {
      guard isAwaiting else { return subscription.cancel() }
      isAwaiting = false
      upstream = subscription
      downstream.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) {
      upstream?.request(demand)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      if toSkip > 0 {
        toSkip -= 1
        return .max(1)
      }
      var returned = Subscribers.Demand.none
      if remaining > 0 {
        remaining -= 1
        returned = downstream.receive(input)
      }
      if remaining == 0, let subscription = upstream {
        upstream = nil
        subscription.cancel()
        // No event follows a cancel, which may have come from inside the upstream's cancel.
        if !isCancelled { downstream.receive(completion: .finished) }
      }
      return returned
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      guard upstream != nil else { return }
      upstream = nil
      downstream.receive(completion: completion)
    }

    func cancel() {
      isCancelled = !isAwaiting
      guard let subscription = upstream else { return }
      upstream = nil
      subscription.cancel()
    }
  }
}
