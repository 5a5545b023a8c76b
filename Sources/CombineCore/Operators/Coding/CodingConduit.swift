/// The conduit of `encode` and `decode`: a final class says how an element is coded; all else is here.
@usableFromInline
protocol CodingConduit: ConnectingConduit where Downstream.Failure == any Error {

  /// Codes an element. Called with no lock held.
  func code(_ input: Input) throws -> Downstream.Input
}

extension CodingConduit {

  // An element that a wrong upstream sends before its subscription is coded and delivered like any other.
  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !phase.isOver else { return .none }
    do {
      return downstream.receive(try code(input))
    } catch {
      let (previous, subscription) = terminate()
      subscription?.cancel()
      if !previous.isOver, !wasCancelled { downstream.receive(completion: .failure(error)) }
      return .none
    }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard !terminate().previous.isOver else { return }
    downstream.receive(completion: completion.erasingFailure())
  }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    ["downstream": downstream, "finished": phase.isOver, "upstreamSubscription": subscription as Any]
  }
}
