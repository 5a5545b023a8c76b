import CombineCore
import TestSupport
import Testing

/// A cancel during a closure that returns a publisher.
///
/// The operator cancels that publisher as soon as its subscription arrives.
@Suite struct CancelInsideClosuresTests {

  enum Operator: CaseIterable, Sendable {
    case `catch`, tryCatch, flatMap, switchToLatest, retry

    /// Subscribes through the operator, whose closure runs `inside` and then returns `inner`.
    func attach(
      _ downstream: RecordingSubscriber<Int, TestError>,
      to upstream: ManualPublisher<Int, TestError>,
      inner: ManualPublisher<Int, TestError>,
      inside: @escaping () -> Void
    ) {
      switch self {
      case .catch:
        upstream.catch { _ in
          inside()
          return inner
        }.subscribe(downstream)
      case .tryCatch:
        upstream.tryCatch { _ in
          inside()
          return inner
        }.mapError { $0 as! TestError }.subscribe(downstream)
      case .flatMap:
        upstream.flatMap { _ in
          inside()
          return inner
        }.subscribe(downstream)
      case .switchToLatest:
        upstream.map { _ in
          inside()
          return inner
        }.switchToLatest().subscribe(downstream)
      case .retry:
        var isFirst = true
        Deferred { () -> ManualPublisher<Int, TestError> in
          if exchange(&isFirst, with: false) { return upstream }
          inside()
          return inner
        }.retry(1).subscribe(downstream)
      }
    }

    /// Sends the event that makes the closure run.
    func start(_ upstream: ManualPublisher<Int, TestError>) {
      switch self {
      case .catch, .tryCatch, .retry: upstream.send(completion: .failure("x"))
      case .flatMap, .switchToLatest: upstream.send(1)
      }
    }
  }

  @Test(arguments: Operator.allCases, [false, true])
  func cancelsThePublisherThatTheClosureReturns(_ member: Operator, fromAnotherThread: Bool) {
    let upstream = ManualPublisher<Int, TestError>()
    let inner = ManualPublisher<Int, TestError>(subscription: nil)
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(2))
    member.attach(downstream, to: upstream, inner: inner) {
      // Any thread may cancel the subscription.
      nonisolated(unsafe) let subscription = downstream.subscription!
      if fromAnotherThread { onThreads(1) { _ in subscription.cancel() } } else { subscription.cancel() }
    }
    member.start(upstream)
    if inner.subscribeCount == 0 { return #expect(member == .flatMap || member == .switchToLatest) }
    let subscription = ManualSubscription()
    inner.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
    inner.send(completion: .finished)
    #expect(downstream.events.count == 1)
  }

  /// The closure has returned, and the subscription of the returned publisher has not arrived yet.
  @Test(arguments: Operator.allCases, [false, true])
  func cancelsAPublisherWhoseSubscriptionArrivesLate(_ member: Operator, fromAnotherThread: Bool) {
    let upstream = ManualPublisher<Int, TestError>()
    let inner = ManualPublisher<Int, TestError>(subscription: nil)
    let downstream = RecordingSubscriber<Int, TestError>(requesting: .max(2))
    member.attach(downstream, to: upstream, inner: inner) {}
    member.start(upstream)
    #expect(inner.subscribeCount == 1)
    nonisolated(unsafe) let outer = downstream.subscription!
    if fromAnotherThread { onThreads(1) { _ in outer.cancel() } } else { outer.cancel() }
    let subscription = ManualSubscription()
    inner.send(subscription: subscription)
    #expect(subscription.history == [.cancelled])
    inner.send(completion: .finished)
    #expect(downstream.events.count == 1)
  }

  // MARK: A closure that judges a value

  private typealias Upstream = ManualPublisher<Int, TestError>

  private static let judging: [(String, @Sendable (Upstream, @escaping () -> Void) -> AnyPublisher<Int, any Error>)] = [
    ("tryFilter", { $0.tryFilter(cancelling($1) { _ in true }).eraseToAnyPublisher() }),
    ("tryCompactMap", { $0.tryCompactMap(cancelling($1) { $0 }).eraseToAnyPublisher() }),
    ("tryScan", { upstream, cancel in upstream.tryScan(0) { cancelling(cancel) { $0 }($1) }.eraseToAnyPublisher() }),
    ("tryDrop", { $0.tryDrop(while: cancelling($1) { _ in false }).eraseToAnyPublisher() }),
    ("tryPrefix", { $0.tryPrefix(while: cancelling($1) { _ in true }).eraseToAnyPublisher() }),
    ("drop(while:)", { $0.drop(while: cancelling($1) { _ in false }).mapError { $0 }.eraseToAnyPublisher() }),
    ("prefix(while:)", { $0.prefix(while: cancelling($1) { _ in true }).mapError { $0 }.eraseToAnyPublisher() }),
  ]

  private static func cancelling<T>(_ cancel: @escaping () -> Void, _ judge: @escaping (Int) -> T) -> (Int) -> T {
    { value in
      cancel()
      return judge(value)
    }
  }

  @Test(arguments: judging.indices) func aValueThatItLetsPassIsDelivered(index: Int) {
    let (name, make) = Self.judging[index]
    let upstream = Upstream()
    let downstream = RecordingSubscriber<Int, any Error>()
    make(upstream) { [unowned downstream] in downstream.cancel() }.subscribe(downstream)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(downstream.events.dropFirst() == [.value(1)], "\(name)")
    #expect(upstream.history == [.cancelled], "\(name)")
  }
}
