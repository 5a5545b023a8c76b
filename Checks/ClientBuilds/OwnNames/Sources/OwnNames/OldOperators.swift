import Combine

// What code for early versions of Combine, or for OpenCombine, declares itself. Each declaration gives another type than
// the library's, so a statement that states the type compiles only if the client's own is chosen.

/// The names of the client's own operators that were called.
@MainActor var calls: [String] = []

@MainActor
extension Publisher {

  func flatMap<P: Publisher>(
    maxPublishers: Subscribers.Demand = .unlimited,
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<P.Output, Failure> where P.Failure == Never {
    calls.append("flatMap")
    let transform = { transform($0).setFailureType(to: Failure.self) }
    return Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform).eraseToAnyPublisher()
  }

  func combineLatest<P: Publisher>(_ other: P) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
    calls.append("combineLatest")
    return Publishers.CombineLatest(self, other).eraseToAnyPublisher()
  }

  func merge<P: Publisher>(with other: P) -> AnyPublisher<Output, Failure>
  where P.Output == Output, P.Failure == Failure {
    calls.append("merge")
    return Publishers.Merge(self, other).eraseToAnyPublisher()
  }

  var values: [Result<Output, Failure>] {
    calls.append("values")
    var values: [Result<Output, Failure>] = []
    let sink = sink(
      receiveCompletion: { if case .failure(let error) = $0 { values.append(.failure(error)) } },
      receiveValue: { values.append(.success($0)) }
    )
    sink.cancel()
    return values
  }
}

@MainActor
extension Publisher where Output: Publisher, Output.Failure == Never {

  func switchToLatest() -> AnyPublisher<Output.Output, Failure> {
    calls.append("switchToLatest")
    let inner = map { $0.setFailureType(to: Failure.self) }
    return Publishers.SwitchToLatest(upstream: inner).eraseToAnyPublisher()
  }
}

@MainActor
extension Optional {

  var publisher: AnyPublisher<Wrapped, Never> {
    calls.append("publisher")
    return map { Just($0).eraseToAnyPublisher() } ?? Empty().eraseToAnyPublisher()
  }
}

struct Refused: Error {}

/// Uses each operator, in the situations in which the library's own is the more specialized one too.
@MainActor
func useOldOperators() -> Bool {
  let numbers = [1, 2].publisher
  let failing = numbers.setFailureType(to: Refused.self)

  let flattened = failing.flatMap { Just($0) }
  let flattenedWithoutFailure = numbers.flatMap(maxPublishers: .max(1)) { Just($0) }
  let latest = failing.map { Just($0) }.switchToLatest()
  let latestWithoutFailure = numbers.map { Just($0) }.switchToLatest()
  let pairs = numbers.combineLatest(Just("a"))
  let merged = numbers.merge(with: Just(3))
  let optional = Optional(4).publisher

  let _: AnyPublisher<Int, Refused> = flattened
  let _: AnyPublisher<Int, Never> = flattenedWithoutFailure
  let _: AnyPublisher<Int, Refused> = latest
  let _: AnyPublisher<Int, Never> = latestWithoutFailure
  let _: AnyPublisher<(Int, String), Never> = pairs
  let _: AnyPublisher<Int, Never> = merged
  let _: AnyPublisher<Int, Never> = optional

  let values = flattened.values
  let valuesWithoutFailure = merged.values
  // What the client does not declare is the library's.
  let ownFailures = numbers.flatMap { _ in Fail<Int, Refused>(error: Refused()) }
  let _: Publishers.FlatMap<Fail<Int, Refused>, Publishers.SetFailureType<Publishers.Sequence<[Int], Never>, Refused>> =
    ownFailures

  return values.compactMap { try? $0.get() } == [1, 2]
    && valuesWithoutFailure == [.success(1), .success(2), .success(3)]
    && calls == [
      "flatMap", "flatMap", "switchToLatest", "switchToLatest", "combineLatest", "merge", "publisher", "values",
      "values",
    ]
}
