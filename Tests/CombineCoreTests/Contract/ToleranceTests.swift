import CombineCore
import TestSupport
import Testing

private typealias Upstream = ManualPublisher<Int, TestError>

/// The behaviour of an operator for mistakes that do not end the process: the other half of what the program `Misuses` makes.
///
/// One letter stands for each ``Mistake``, in their order. `v` and `c` stand for a value and a
/// completion that reach the downstream all the same. `r` stands for a subscription that is cancelled, `a` for one that
/// is accepted, and `p` for one that is forwarded as well. `s` stands for calls that reach the upstream's subscription,
/// and `t` for a trap, which another test tests. `-` stands for an ignored event, and `.` for an impossible one.
struct Tolerance: Sendable, CustomTestStringConvertible {

  let name: String
  let reactions: String
  fileprivate let run: @Sendable (Mistake) -> Character

  /// Subscribes a subscriber with unlimited demand to the operator.
  let attach: @Sendable (ManualPublisher<Int, TestError>) -> Void

  var testDescription: String { name }

  /// An event out of order.
  enum Mistake: CaseIterable, Sendable {
    case valueBeforeSubscription, completionBeforeSubscription, cancelBeforeSubscription
    case secondSubscription
    case valueAfterCompletion, secondCompletion, subscriptionAfterCompletion, requestAfterCompletion
    case valueAfterCancel, completionAfterCancel, secondCancel, requestAfterCancel, subscriptionAfterCancel
  }

  /// - Parameter apply: A closure that applies the operator, so that it sends a value for 2.
  fileprivate init<P: Publisher & SendableMetatype>(
    _ name: String,
    _ reactions: String,
    _ apply: @escaping @Sendable (Upstream) -> P
  ) {
    self.name = name
    self.reactions = reactions.filter { $0 != " " }
    run = { mistake in Pipeline(mistake, apply).react() }
    attach = { apply($0).subscribe(RecordingSubscriber<P.Output, P.Failure>(requesting: .unlimited)) }
  }
}

/// An operator between an upstream that makes a mistake and a downstream with unlimited demand.
private final class Pipeline<P: Publisher> {

  let mistake: Tolerance.Mistake
  let upstream: Upstream
  let downstream = RecordingSubscriber<P.Output, P.Failure>(onSubscription: { $0.request(.unlimited) })

  init(_ mistake: Tolerance.Mistake, _ apply: (Upstream) -> P) {
    self.mistake = mistake
    let early: [Tolerance.Mistake] = [
      .valueBeforeSubscription, .completionBeforeSubscription, .cancelBeforeSubscription,
    ]
    upstream = Upstream(subscription: early.contains(mistake) ? nil : ManualSubscription())
    apply(upstream).subscribe(downstream)
  }

  func react() -> Character {
    switch mistake {
    case .valueBeforeSubscription: return value()
    case .completionBeforeSubscription: return completion()
    case .cancelBeforeSubscription:
      guard let conduit = downstream.subscription ?? (upstream.subscriber as? any Subscription) else { return "." }
      conduit.cancel()
      return subscription()
    case .secondSubscription: return subscription()
    case .valueAfterCompletion, .secondCompletion, .subscriptionAfterCompletion, .requestAfterCompletion:
      upstream.send(2)
      upstream.send(completion: .finished)
    case .valueAfterCancel, .completionAfterCancel, .secondCancel, .requestAfterCancel, .subscriptionAfterCancel:
      downstream.cancel()
    }
    switch mistake {
    case .valueAfterCompletion, .valueAfterCancel: return value()
    case .secondCompletion, .completionAfterCancel: return completion()
    case .subscriptionAfterCompletion, .subscriptionAfterCancel: return subscription()
    case .requestAfterCompletion, .requestAfterCancel: return forwarded { downstream.request(.max(7)) }
    default: return forwarded { downstream.cancel() }
    }
  }

  private func value() -> Character {
    let count = downstream.values.count
    upstream.send(2)
    return downstream.values.count > count ? "v" : "-"
  }

  private func completion() -> Character {
    func count() -> Int {
      downstream.events.count {
        switch $0 {
        case .finished, .failure: true
        case .value, .subscription: false
        }
      }
    }
    let before = count()
    upstream.send(completion: .finished)
    return count() > before ? "c" : "-"
  }

  private func subscription() -> Character {
    let count = downstream.events.count
    let other = ManualSubscription()
    upstream.send(subscription: other)
    if other.history == [.cancelled] { return "r" }
    return downstream.events.count > count && upstream.subscription != nil ? "p" : "a"
  }

  private func forwarded(_ call: () -> Void) -> Character {
    let count = upstream.history.count
    call()
    return upstream.history.count > count ? "s" : "-"
  }
}

extension Tolerance {

  static let all = transparent + strict + lenient + reducing + slicing + timing + mixing

  private static let transparent = [
    Tolerance("map", "vc. p vcps vcssp") { $0.map { $0 } },
    Tolerance("map(_:), a key path", "vc. p vcps vcssp") { $0.map(\.self) },
    Tolerance("replaceNil", "vc. p vcps vcssp") { $0.map { $0 as Int? }.replaceNil(with: 1) },
    Tolerance("mapError", "vc. p vcps vcssp") { $0.mapError { $0 } },
    Tolerance("filter", "vc. p vcps vcssp") { $0.filter { $0 > 1 } },
    Tolerance("compactMap", "vc. p vcps vcssp") { $0.compactMap { $0 as Int? } },
    Tolerance("scan", "vc. p vcps vcssp") { $0.scan(0) { $1 } },
    Tolerance("ignoreOutput", "-c. p -cps -cssp") { $0.ignoreOutput() },
    Tolerance("assertNoFailure", "vc. p vcps vcssp") { $0.assertNoFailure() },
    Tolerance("breakpoint", "vc. p vcps vcssp") { $0.breakpoint() },
  ]

  private static let strict = [
    Tolerance("tryFilter", "ttr r --r- ----r") { $0.tryFilter { $0 > 1 } },
    Tolerance("tryCompactMap", "ttr r --r- ----r") { $0.tryCompactMap { $0 as Int? } },
    Tolerance("removeDuplicates", "ttr r --r- ----r") { $0.removeDuplicates { _, _ in false } },
    Tolerance("tryRemoveDuplicates", "ttr r --r- ----r") { $0.tryRemoveDuplicates { _, _ in false } },
    Tolerance("prefix(while:)", "ttr r --r- ----r") { $0.prefix { $0 > 1 } },
    Tolerance("tryPrefix(while:)", "ttr r --r- ----r") { $0.tryPrefix { $0 > 1 } },
  ]

  private static let lenient = [
    Tolerance("tryMap", "v-a r v-r- v---r") { $0.tryMap { $0 } },
    Tolerance("tryScan", "v-a r vcrs v---r") { $0.tryScan(0) { $1 } },
    Tolerance("encode", "vca r --r- ----r") { $0.encode(encoder: Coder()) },
    Tolerance("decode", "vca r --r- ----r") { $0.decode(type: Int.self, decoder: Coder()) },
    Tolerance("replaceEmpty", "--a r --r- ----r") { $0.replaceEmpty(with: 1) },
    Tolerance("replaceError", "--a r --r- ----r") { $0.replaceError(with: 1) },
    Tolerance("handleEvents", "vca r vcr- vc--r") { $0.handleEvents(receiveOutput: { _ in }) },
    Tolerance("print", "vca r vcr- vc--r") { $0.print("", to: Silence()) },
  ]

  private static let reducing = [
    Tolerance("reduce", "--a r --r- ----r") { $0.reduce(0) { $1 } },
    Tolerance("tryReduce", "--a r --r- ----r") { $0.tryReduce(0) { $1 } },
    Tolerance("min", "--a r --r- ----r") { $0.min() },
    Tolerance("tryMax", "--a r --r- ----r") { $0.tryMax { $0 < $1 } },
    Tolerance("count", "--a r --r- ----r") { $0.count() },
    Tolerance("collect", "--a r --r- ----r") { $0.collect() },
    Tolerance("allSatisfy", "--a r --r- ----r") { $0.allSatisfy { $0 > 1 } },
    Tolerance("tryAllSatisfy", "--a r --r- ----r") { $0.tryAllSatisfy { $0 > 1 } },
    Tolerance("contains", "--a r --r- ----r") { $0.contains(2) },
    Tolerance("contains(where:)", "--a r --r- ----r") { $0.contains { $0 > 1 } },
    Tolerance("tryContains(where:)", "--a r --r- ----r") { $0.tryContains { $0 > 1 } },
    Tolerance("first", "--a r --r- ----r") { $0.first() },
    Tolerance("first(where:)", "--a r --r- ----r") { $0.first { $0 > 1 } },
    Tolerance("tryFirst(where:)", "--a r --r- ----r") { $0.tryFirst { $0 > 1 } },
    Tolerance("last", "--a r --r- ----r") { $0.last() },
    Tolerance("last(where:)", "--a r --r- ----r") { $0.last { $0 > 1 } },
    Tolerance("tryLast(where:)", "--a r --r- ----r") { $0.tryLast { $0 > 1 } },
    Tolerance("collect(_:)", "-ca r -cr- -c--r") { $0.collect(1) },
  ]

  private static let slicing = [
    Tolerance("dropFirst", "vca r vca- vc--a") { $0.dropFirst(0) },
    Tolerance("drop(while:)", "--a r --r- ----r") { $0.drop { $0 < 1 } },
    Tolerance("tryDrop(while:)", "--a r --r- ----r") { $0.tryDrop { $0 < 1 } },
    Tolerance("drop(untilOutputFrom:)", "-cr r --rs ----r") { $0.drop(untilOutputFrom: Upstream()) },
    Tolerance("prefix(untilOutputFrom:)", "--r r --r- ----r") { $0.prefix(untilOutputFrom: Upstream()) },
    Tolerance("prefix", "v-a r v-r- v---r") { $0.prefix(9) },
    Tolerance("output(in:)", "v-a r v-r- v---r") { $0.output(in: 0..<9) },
  ]

  private static let timing = [
    Tolerance("debounce", "--a r --r- ----r") { $0.debounce(for: 1, scheduler: ImmediateScheduler.shared) },
    Tolerance("throttle", "--r r --r- ----r") {
      $0.throttle(for: 1, scheduler: ImmediateScheduler.shared, latest: true)
    },
    Tolerance("delay", "--a r --r- ----r") { $0.delay(for: 1, scheduler: ImmediateScheduler.shared) },
    Tolerance("measureInterval", "--a r --r- ----r") { $0.measureInterval(using: ImmediateScheduler.shared) },
    Tolerance("receive(on:)", "--a r --r- ----r") { $0.receive(on: ImmediateScheduler.shared) },
    Tolerance("subscribe(on:)", "--a r --r- ----r") { $0.subscribe(on: ImmediateScheduler.shared) },
    Tolerance("collect(by time)", "--a r --r- ----r") {
      $0.collect(.byTimeOrCount(ImmediateScheduler.shared, 1, 1))
    },
    Tolerance("buffer", "--a r --r- ----r") { $0.buffer(size: 9, prefetch: .byRequest, whenFull: .dropNewest) },
  ]

  private static let mixing = [
    Tolerance("merge", "vcr r v-r- ----r") { Publishers.MergeMany($0) },
    Tolerance("flatMap", "vcr r --r- ----r") { $0.flatMap { Just($0).setFailureType(to: TestError.self) } },
    Tolerance("retry", "tcr r --r- ----r") { $0.retry(1) },
    Tolerance("catch", "t-. r v-r- v---r") { $0.catch { _ in Upstream() } },
    Tolerance("tryCatch", "t-. r v-r- v---r") { $0.tryCatch { _ in Upstream() } },
    Tolerance("append", "--. r --r- ----r") { $0.append(Empty(completeImmediately: false)) },
  ]

  /// A coder that changes nothing.
  private struct Coder: TopLevelEncoder, TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> Int { value as! Int }
    func decode<T: Decodable>(_ type: T.Type, from value: Int) throws -> T { value as! T }
  }

  private struct Silence: TextOutputStream {
    func write(_ string: String) {}
  }
}

@Suite struct ToleranceTests {

  @Test(arguments: Tolerance.all) func mistakesThatDoNotTrapAreIgnoredOrForwarded(_ tolerance: Tolerance) {
    let expected = Array(tolerance.reactions)
    #expect(expected.count == Tolerance.Mistake.allCases.count)
    for (mistake, reaction) in zip(Tolerance.Mistake.allCases, expected) where reaction != "t" {
      #expect(tolerance.run(mistake) == reaction, "\(mistake)")
    }
  }
}
