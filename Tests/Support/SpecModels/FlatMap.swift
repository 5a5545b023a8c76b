import CombineCore

extension SpecModels {

  /// FlatMap: `mixing.md`, "Publishers.FlatMap".
  public struct FlatMap<Upstream: Publisher, Child: Publisher>: Publisher where Child.Failure == Upstream.Failure {

    public typealias Output = Child.Output
    public typealias Failure = Child.Failure

    private let upstream: Upstream
    private let maxPublishers: Subscribers.Demand
    private let transform: (Upstream.Output) -> Child

    public init(
      _ upstream: Upstream,
      maxPublishers: Subscribers.Demand,
      _ transform: @escaping (Upstream.Output) -> Child
    ) {
      self.upstream = upstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner = Inner(downstream: subscriber, maxPublishers: maxPublishers, transform: transform)
      // "1. downstream ← subscription `FlatMap`. 2. upstream subscribed."
      subscriber.receive(subscription: inner)
      upstream.subscribe(inner)
    }
  }
}

extension SpecModels.FlatMap {

  /// The subscriber of an inner publisher.
  private struct Constituent: Subscriber {

    let combineIdentifier = CombineIdentifier()
    let place: Place
    let inner: Inner

    func receive(subscription: any Subscription) { inner.receive(subscription: subscription, place) }
    func receive(_ input: Output) -> Subscribers.Demand { inner.receive(input, place) }
    func receive(completion: Subscribers.Completion<Failure>) { inner.receive(completion, place) }
  }

  /// The slot of an inner publisher: pending without a subscription, live with one.
  private final class Place {
    var subscription: (any Subscription)?
  }

  private final class Inner: Subscriber, Subscription, CustomStringConvertible {

    typealias Input = Upstream.Output

    let description = "FlatMap"
    let downstream: any Subscriber<Output, Failure>
    let maxPublishers: Subscribers.Demand
    let transform: (Upstream.Output) -> Child

    var upstream: (any Subscription)?
    /// "order unspecified": a new inner publisher takes the slot that was released last.
    var places: [Place?] = []
    var freePlaces: [Int] = []
    var buffer: [(place: Place, value: Output)] = []
    var demand = Subscribers.Demand.none

    /// The number of nested value deliveries, and whether a completion is being delivered.
    var deliveries = 0
    var isCompleting = false

    var isDraining = false
    var isAsking = false
    var haveChildrenBeenTold = false
    var isUpstreamFailing = false
    var hasUpstreamFinished = false
    var hasEnded = false
    var isCancelled = false

    /// The downstream has cancelled after the end. contracts.md, "Contract of a stream": it hears nothing more.
    var isSilenced = false

    init(
      downstream: any Subscriber<Output, Failure>,
      maxPublishers: Subscribers.Demand,
      transform: @escaping (Upstream.Output) -> Child
    ) {
      self.downstream = downstream
      self.maxPublishers = maxPublishers
      self.transform = transform
    }

    // MARK: Upstream

    func receive(subscription: any Subscription) {
      // "if one is stored already or the operator is cancelled/completed → cancel it; else `request(maxPublishers)` as is"
      if hasEnded || upstream != nil { return subscription.cancel() }
      upstream = subscription
      subscription.request(maxPublishers)
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      // "cancelled/completed → dropped, the transform is not called; otherwise transform (no lock held), then subscribe a
      // side to the child. ALWAYS returns none." Not specified: the operator ends inside the
      // transform. The inner publisher is then not subscribed to.
      if hasEnded { return .none }
      let child = transform(input)
      if hasEnded { return .none }
      let place = Place()
      if let index = freePlaces.popLast() { places[index] = place } else { places.append(place) }
      child.subscribe(Constituent(place: place, inner: self))
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      switch completion {
      case .finished:
        // "its subscription is dropped; check."
        upstream = nil
        hasUpstreamFinished = true
        check()
      case .failure:
        // "Children are cancelled while the state lock is held: if a child's `cancel()` re-enters the operator on the same
        // thread (e.g. makes the upstream fail again) the process TRAPS." Here only such a failure traps. A cancel or
        // a request of the downstream is harmless.
        precondition(!isUpstreamFailing)
        // "its subscription is dropped (not cancelled). All children are cancelled, THEN downstream ← failure; buffered
        // values are lost. Second failure ignored".
        upstream = nil
        if hasEnded { return }
        isUpstreamFailing = true
        end(cancelling: places)
        isUpstreamFailing = false
        complete(completion)
      }
    }

    // MARK: Children

    func receive(subscription: any Subscription, _ place: Place) {
      // "a child subscription arriving after cancel should be cancelled" (u). So should one for an occupied slot
      // (family rule 9), or for an inner publisher that was removed (u).
      if hasEnded || place.subscription != nil || !isThere(place) { return subscription.cancel() }
      // "requested `.unlimited` if downstream demand is unlimited, else `.max(1)`".
      place.subscription = subscription
      subscription.request(demand == .unlimited ? .unlimited : .max(1))
    }

    func isThere(_ place: Place) -> Bool { places.contains { $0 === place } }

    func receive(_ value: Output, _ place: Place) -> Subscribers.Demand {
      // "downstream demand unlimited: delivered (returned demand ignored); none"
      if demand == .unlimited {
        _ = deliver(value)
        return .none
      }
      if isSilenced { return .none }
      // "demand 0, or the operator is at this moment re-requesting from a child while draining: appended to the shared
      // FIFO buffer …; none"
      if demand == .none || isAsking {
        if !hasEnded { buffer.append((place, value)) }
        return .none
      }
      // "finite demand > 0: demand −= 1; delivered; demand += returned; max(1)"
      demand -= 1
      add(deliver(value))
      // Not specified: the handling of values buffered meanwhile, if there is demand now. They would wait for a request
      // that may never come. "u: after `req(∞)` made inside a value callback the children are not told; sending them
      // `req(∞)` is a permissible improvement."
      let isDue = !buffer.isEmpty && demand > .none || demand == .unlimited && !haveChildrenBeenTold
      if deliveries == 0, !hasEnded, isDue { drain() }
      return .max(1)
    }

    func add(_ more: Subscribers.Demand) {
      if !isSilenced { demand += more }
    }

    func deliver(_ value: Output) -> Subscribers.Demand {
      deliveries += 1
      let returned = downstream.receive(value)
      deliveries -= 1
      return returned
    }

    func receive(_ completion: Subscribers.Completion<Failure>, _ place: Place) {
      switch completion {
      case .finished:
        // "the child is dropped; completion check; if the operator did not complete by it and `maxPublishers` is not
        // unlimited → `req(1)` to the upstream (if still stored). This happens for every finish event".
        if let index = places.firstIndex(where: { $0 === place }) {
          places[index] = nil
          freePlaces.append(index)
        }
        let hasCompleted = check()
        if !hasCompleted, maxPublishers != .unlimited { upstream?.request(.max(1)) }
      case .failure:
        // "ignored if cancelled/completed. Else all OTHER children are cancelled …, then downstream ← failure. The failing
        // child is not cancelled and the UPSTREAM IS NOT CANCELLED". If the downstream itself cancels meanwhile, it is.
        if hasEnded { return }
        let upstream = upstream
        self.upstream = nil
        end(cancelling: places.filter { $0 !== place })
        if isCancelled { upstream?.cancel() }
        complete(completion)
      }
    }

    // MARK: Request

    func request(_ demand: Subscribers.Demand) {
      // "1. Zero traps (first of all). 2. Inside a downstream value callback: only adds to the demand … 3.
      // Cancelled/completed: ignored. 4. Otherwise:"
      precondition(demand > .none)
      if deliveries > 0, !isCompleting { return add(demand) }
      if hasEnded { return }
      self.demand += demand
      // "then `req(∞)` to every live child".
      if demand == .unlimited { haveChildrenBeenTold = false }
      if !isDraining { drain() }
    }

    func drain() {
      if isDraining { return }
      isDraining = true
      // "while buffer non-empty and demand > 0: take the first, demand −= 1, deliver, demand += returned, then `req(1)` to
      // the child that produced it if it is still live. Values that arrive synchronously from that `req(1)` go to the END
      // of the buffer". Unlimited: "the whole buffer is delivered in order (returned demand ignored)".
      while !hasEnded, !buffer.isEmpty, demand > .none {
        let (place, value) = buffer.removeFirst()
        let isFinite = demand != .unlimited
        if isFinite { demand -= 1 }
        demand += deliver(value)
        if isFinite, !hasEnded, isThere(place), let subscription = place.subscription {
          isAsking = true
          subscription.request(.max(1))
          isAsking = false
        }
      }
      isDraining = false
      if demand == .unlimited, !haveChildrenBeenTold {
        haveChildrenBeenTold = true
        for subscription in places.map({ $0?.subscription }) { subscription?.request(.unlimited) }
      }
      // "Afterwards the completion check below."
      check()
    }

    // MARK: The end

    /// "not yet completed AND upstream finished AND buffer empty AND no live or pending … child → downstream ←
    /// `.finished`."
    @discardableResult
    func check() -> Bool {
      if hasEnded || !hasUpstreamFinished || !buffer.isEmpty || places.contains(where: { $0 != nil }) { return false }
      hasEnded = true
      complete(.finished)
      return true
    }

    func end(cancelling cancelled: [Place?]) {
      hasEnded = true
      buffer = []
      places = []
      freePlaces = []
      for subscription in cancelled.map({ $0?.subscription }) { subscription?.cancel() }
    }

    func complete(_ completion: Subscribers.Completion<Failure>) {
      if isCancelled { return }
      isCompleting = true
      downstream.receive(completion: completion)
      isCompleting = false
    }

    func cancel() {
      // "no-op if cancelled/completed. Else children cancelled first (order unspecified), then the upstream."
      isCancelled = true
      if hasEnded {
        isSilenced = true
        demand = .none
        return
      }
      let upstream = upstream
      self.upstream = nil
      end(cancelling: places)
      upstream?.cancel()
    }
  }
}
