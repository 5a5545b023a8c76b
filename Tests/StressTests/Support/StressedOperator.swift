import CombineCore
import TestSupport

/// An operator that mixes several publishers, and its promises for three of them.
enum StressedOperator: String, CaseIterable, Sendable {

  case merge, merge3, mergeMany, mergeOfMerges
  case combineLatest
  case zip
  case flatMap, flatMapTwoAtATime, flatMapOneAtATime, flatMapOfMerges
  case switchToLatest
  case append, catching

  typealias Upstream = AnyPublisher<Item, TestError>
  typealias Downstream = CheckingSubscriber<[Item], TestError>

  /// The operators that lose nothing, for any demand.
  static let lossless: [StressedOperator] = [
    .merge, .merge3, .mergeMany, .mergeOfMerges, .zip, .flatMap, .flatMapTwoAtATime, .flatMapOneAtATime,
    .flatMapOfMerges, .append,
  ]

  /// Whether another publisher sends the publishers as its values.
  var hasOuter: Bool {
    switch self {
    case .flatMap, .flatMapTwoAtATime, .flatMapOneAtATime, .switchToLatest: true
    default: false
    }
  }

  /// The required order of the values of one source, as long as nothing is dropped.
  var order: Downstream.Order {
    self == .combineLatest ? .rising : .gapless
  }

  /// Subscribes to the operator with its upstreams.
  ///
  /// - Parameters:
  ///   - upstreams: Three publishers.
  ///   - outer: The publisher that sends them, if the operator takes a publisher of publishers. The default is a
  ///     sequence.
  func attach(_ downstream: Downstream, to upstreams: [Upstream], outer: AnyPublisher<Upstream, TestError>? = nil) {
    let (a, b, c) = (upstreams[0], upstreams[1], upstreams[2])
    let outer = outer ?? Publishers.Sequence<[Upstream], TestError>(sequence: upstreams).eraseToAnyPublisher()
    switch self {
    case .merge: single(Publishers.Merge(Publishers.Merge(a, b), c), downstream)
    case .merge3: single(Publishers.Merge3(a, b, c), downstream)
    case .mergeMany: single(Publishers.MergeMany(upstreams), downstream)
    case .mergeOfMerges:
      let inner = Publishers.Merge(b, c).eraseToAnyPublisher()
      single(Publishers.Merge(a, inner).eraseToAnyPublisher(), downstream)
    case .combineLatest: a.combineLatest(b, c) { [$0, $1, $2] }.subscribe(downstream)
    case .zip: a.zip(b, c) { [$0, $1, $2] }.subscribe(downstream)
    case .flatMap: single(outer.flatMap { $0 }, downstream)
    case .flatMapTwoAtATime: single(outer.flatMap(maxPublishers: .max(2)) { $0 }, downstream)
    case .flatMapOneAtATime: single(outer.flatMap(maxPublishers: .max(1)) { $0 }, downstream)
    case .flatMapOfMerges:
      let children = Publishers.Sequence<[Upstream], TestError>(
        sequence: [Publishers.Merge(a, b).eraseToAnyPublisher(), c]
      )
      single(children.flatMap { $0 }, downstream)
    case .switchToLatest: single(outer.switchToLatest(), downstream)
    case .append: single(a.append(b).append(c), downstream)
    case .catching: single(a.catch { _ in b }.catch { _ in c }, downstream)
    }
  }

  private func single<P: Publisher<Item, TestError>>(_ publisher: P, _ downstream: Downstream) {
    publisher.map { [$0] }.subscribe(downstream)
  }
}
