import CombineExtras

/// What an operator is applied to, and what the test moves.
final class PoisonedScene {

  let source = PoisonedSource()

  /// A second upstream, which sends and completes apart.
  let other = PoisonedSource()

  let scheduler = PoisonedScheduler()

  /// Connections that last as long as the scene.
  private(set) var connections: [AnyCancellable] = []

  func keep(_ connection: AnyCancellable) { connections.append(connection) }

  func dropConnections() {
    let dropped = connections
    connections = []
    withExtendedLifetime(dropped) {}
  }

  /// Makes the source feed a subject.
  func feed<S: Subject<PoisonedValue, PoisonedError>>(_ subject: S) -> S {
    let connection = source.subscribe(subject)
    keep(connection)
    return subject
  }
}

/// An operator or a subject behind and between poisoned types.
struct PoisonedOperator: Sendable {

  typealias Subscribe = (Subscribers.Demand) -> any PoisonedDownstream

  let name: String

  let make: @Sendable (PoisonedScene) -> Subscribe

  /// - Parameters:
  ///   - isShared: Whether all subscribers of a scene have one publisher. Otherwise each has its own, whose closures go with
  ///     the subscription.
  init<P: Publisher & SendableMetatype>(
    _ name: String,
    isShared: Bool = false,
    _ apply: @escaping @Sendable (PoisonedScene) -> P
  ) {
    self.name = name
    make = { scene in
      let shared = isShared ? apply(scene) : nil
      return { [unowned scene] demand in
        let subscriber = PoisonedSubscriber<P.Output, P.Failure>(demand)
        (shared ?? apply(scene)).subscribe(subscriber)
        return subscriber
      }
    }
  }

  /// Runs one scene.
  ///
  /// - Parameters:
  ///   - act: What the active code does.
  ///   - isLimited: Whether the subscribers ask for a few elements at a time.
  ///   - end: How the scene ends; `nil` for a cancel.
  func run(_ act: IntrusionAct, isLimited: Bool, end: Subscribers.Completion<PoisonedError>?) {
    let scene = PoisonedScene()
    let subscribe = make(scene)
    let demand: Subscribers.Demand = isLimited ? .max(2) : .unlimited
    var first: (any PoisonedDownstream)?
    Intrusion.rest = 12
    Intrusion.act = { [unowned scene] in
      switch act {
      case .send:
        scene.source.send(4)
        scene.other.send(5)
      case .finish: scene.source.send(completion: .finished)
      case .fail: scene.source.send(completion: .failure(PoisonedError()))
      case .subscribe:
        let nested = subscribe(.unlimited)
        nested.request(.max(1))
        nested.cancel()
      case .cancel: first?.cancel()
      case .request: first?.request(.max(1))
      }
    }
    first = subscribe(demand)
    for number in [1, 2, 1, 3, 1] {
      scene.source.send(number)
      scene.other.send(number)
    }
    scene.scheduler.advance(by: 2)
    first?.request(.max(2))
    var second: (any PoisonedDownstream)? = subscribe(demand)
    scene.source.send(5)
    scene.scheduler.advance(by: 10)
    second?.cancel()
    withExtendedLifetime(exchange(&second, with: nil)) {}
    for number in [2, 6, 9] { scene.source.send(number) }
    scene.other.send(7)
    scene.scheduler.advance(by: 3)
    if let end {
      scene.source.send(completion: end)
      scene.scheduler.advance(by: 4)
      scene.other.send(completion: end)
    } else {
      first?.cancel()
    }
    scene.scheduler.advance(by: 30)
    first?.request(.unlimited)
    // What was never delivered is dropped, by a pipeline that nobody has cancelled, too.
    withExtendedLifetime(exchange(&first, with: nil)) {}
    scene.dropConnections()
    scene.scheduler.dropAll()
    Intrusion.act = {}
  }
}
