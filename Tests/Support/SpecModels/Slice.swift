import CombineCore

extension SpecModels {

  /// `prefix(_:)`, `output(at:)` and `output(in:)`: `reducing.md`, "prefix(_ maxLength:), output(at:), output(in:)
  /// (Output)", the table under "Subscription".
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

    /// "State: awaiting → subscribed(S) → terminal; *toSkip* = lower bound; *remaining* = number of positions in the
    /// range."
    var isAwaiting = true
    var upstream: (any Subscription)?
    var toSkip: Int
    var remaining: Int

    /// "If D cancels …": whether it has, for the events after the cancel of the upstream.
    var isCancelled = false

    init(downstream: any Subscriber<Output, Failure>, range: Range<Int>) {
      self.downstream = downstream
      toSkip = range.lowerBound
      remaining = range.count
    }

    func receive(subscription: any Subscription) {
      // "awaiting: subscribed; D receives the inner; nothing is requested. Otherwise: `S.cancel()`."
      guard isAwaiting else { return subscription.cancel() }
      isAwaiting = false
      upstream = subscription
      downstream.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) {
      // "subscribed: Forwarded unchanged (‡zero too, no trap). Otherwise: Ignored, forgotten."
      upstream?.request(demand)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      // "no guard on the phase; toSkip > 0: toSkip −= 1; → .max(1)."
      if toSkip > 0 {
        toSkip -= 1
        return .max(1)
      }
      // "If remaining > 0: remaining −= 1 and D receives the value, demand to return = what D returns; else demand to
      // return = .none and the value is lost."
      var returned = Subscribers.Demand.none
      if remaining > 0 {
        remaining -= 1
        returned = downstream.receive(input)
      }
      // "Then, if remaining is 0 and the phase is subscribed: terminal; S.cancel(); D receives .finished."
      if remaining == 0, let subscription = upstream {
        upstream = nil
        subscription.cancel()
        // No event follows a cancel, which may have come from inside the upstream's cancel.
        if !isCancelled { downstream.receive(completion: .finished) }
      }
      return returned
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      // "subscribed: terminal; D receives it; S not cancelled. Otherwise: Ignored."
      guard upstream != nil else { return }
      upstream = nil
      downstream.receive(completion: completion)
    }

    func cancel() {
      // "subscribed: terminal; `S.cancel()`. Otherwise: Nothing; before S it leaves no trace."
      isCancelled = !isAwaiting
      guard let subscription = upstream else { return }
      upstream = nil
      subscription.cancel()
    }
  }
}
