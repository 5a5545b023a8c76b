import CombineCore

extension SpecModels {

  /// `flatMap`. Rows `flat-map.upstream`, `flat-map.inner-request`, `flat-map.values`, `flat-map.request`,
  /// `flat-map.finish`, `flat-map.next`, `flat-map.failure` and `flat-map.cancel`.
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
    /// A new inner publisher takes the slot that was released last.
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

    /// The downstream has cancelled after the end, and hears nothing more.
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
      if hasEnded || upstream != nil { return subscription.cancel() }
      upstream = subscription
      subscription.request(maxPublishers)
    }

    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      // If the operator ends inside the transform, the inner publisher is not subscribed to.
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
        upstream = nil
        hasUpstreamFinished = true
        check()
      case .failure:
        // Row `flat-map.failure-inside`. A cancel or a request of the downstream is harmless.
        precondition(!isUpstreamFailing)
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
      if hasEnded || place.subscription != nil || !isThere(place) { return subscription.cancel() }
      place.subscription = subscription
      subscription.request(demand == .unlimited ? .unlimited : .max(1))
    }

    func isThere(_ place: Place) -> Bool { places.contains { $0 === place } }

    func receive(_ value: Output, _ place: Place) -> Subscribers.Demand {
      if demand == .unlimited {
        _ = deliver(value)
        return .none
      }
      if isSilenced { return .none }
      if demand == .none || isAsking {
        if !hasEnded { buffer.append((place, value)) }
        return .none
      }
      demand -= 1
      add(deliver(value))
      // Row `flat-map.request-inside`: otherwise values would wait for a request that may never come.
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
        if let index = places.firstIndex(where: { $0 === place }) {
          places[index] = nil
          freePlaces.append(index)
        }
        let hasCompleted = check()
        if !hasCompleted, maxPublishers != .unlimited { upstream?.request(.max(1)) }
      case .failure:
        // If the downstream itself cancels meanwhile, the upstream is cancelled.
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
      precondition(demand > .none)
      if deliveries > 0, !isCompleting { return add(demand) }
      if hasEnded { return }
      self.demand += demand
      if demand == .unlimited { haveChildrenBeenTold = false }
      if !isDraining { drain() }
    }

    func drain() {
      if isDraining { return }
      isDraining = true
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
      check()
    }

    // MARK: The end

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
