import CombineCore

/// The way in which a downstream requests values.
enum DemandStyle: String, CaseIterable, Sendable {

  case unlimited

  /// One by one, returned for each value.
  case returned

  /// One by one, requested during each value.
  case requestedInside

  /// A few at a time, requested by another thread.
  case fromAnotherThread

  /// All of these together.
  case mixed

  /// The demand to request when the subscription arrives.
  var initial: Subscribers.Demand {
    switch self {
    case .unlimited: .unlimited
    case .returned, .requestedInside: .max(1)
    case .mixed: .max(2)
    case .fromAnotherThread: .none
    }
  }

  /// Responds to each value, as a downstream of this style.
  ///
  /// - Parameter number: A number that differs between values, so that the responses differ.
  func respond<Input, Failure>(
    _ number: @escaping @Sendable (Input) -> Int
  ) -> @Sendable (CheckingSubscriber<Input, Failure>, Input) -> Subscribers.Demand {
    { downstream, input in
      switch self {
      case .unlimited, .fromAnotherThread:
        return .none
      case .returned:
        return .max(1)
      case .requestedInside:
        downstream.request(.max(1))
        return .none
      case .mixed:
        if number(input) % 3 == 0 { downstream.request(.max(1)) }
        return .max(number(input) % 2)
      }
    }
  }

  /// Whether another thread is to request.
  var needsRequester: Bool { self == .fromAnotherThread || self == .mixed }
}
