import CombineCore

/// How a downstream asks for what it wants.
enum DemandStyle: String, CaseIterable, Sendable {

  case unlimited

  /// One by one, returned for each value.
  case returned

  /// One by one, requested from inside each value.
  case requestedInside

  /// A few at a time, by another thread.
  case fromAnotherThread

  /// All of that at once.
  case mixed

  /// What is requested when the subscription comes.
  var initial: Subscribers.Demand {
    switch self {
    case .unlimited: .unlimited
    case .returned, .requestedInside: .max(1)
    case .mixed: .max(2)
    case .fromAnotherThread: .none
    }
  }

  /// What a downstream does with each value.
  ///
  /// - Parameter number: Tells values apart, so that not the same is done with all of them.
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
