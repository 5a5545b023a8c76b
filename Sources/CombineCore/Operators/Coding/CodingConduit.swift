/// The conduit of `encode` and `decode`. A final class for each of them defines how an element is coded.
@usableFromInline
protocol CodingConduit: RequestPassingConduit where Downstream.Failure == any Error {

  /// Codes an element. It is called outside any lock.
  func code(_ input: Input) throws -> Downstream.Input
}

extension CodingConduit {

  // An invalid upstream may send an element before its subscription. It is coded and delivered like any other.
  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard !phase.isOver else { return DeliveryReceipt.refuse() }
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
