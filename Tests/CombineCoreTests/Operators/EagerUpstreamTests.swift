import CombineCore
import TestSupport
import Testing

/// Upstreams that have all their values already, in front of an operator and a sink.
///
/// They send everything inside the call that subscribes to them. The operator's closure and the sink must not see a
/// difference from an upstream that waits for a request.
@Suite struct EagerUpstreamTests {

  enum Operator: CaseIterable, Sendable {
    case tryMap, tryScan, tryFilter, tryCompactMap, removeDuplicates, tryRemoveDuplicates, prefixWhile, tryPrefixWhile
    case dropWhile, tryDropWhile, output, `catch`, catchThenSequence, tryCatch, append, appendSequence, chain
  }

  enum Source: CaseIterable, Sendable {
    case just, sequence, failure
  }

  /// What the closure of the operator or of the sink does at a value.
  enum Deed: CaseIterable, Sendable {
    case nothing, cancelInOperator, cancelInSink, fail
  }

  private final class Run {

    private let deed: Deed
    private let place: Int
    private var sink: Subscribers.Sink<Int, any Error>?
    private(set) var log: [String] = []

    /// - Parameters:
    ///   - isHidden: Whether the source is behind a stage that needs a subscription.
    ///   - place: The value at which the deed is done.
    init(_ member: Operator, _ source: Source, isHidden: Bool, _ deed: Deed, at place: Int) {
      self.deed = deed
      self.place = place
      let values: [Int] = source == .just ? [place] : [1, 1, 2, 3]
      switch source {
      case .just: attach(member, isHidden, Just(place).setFailureType(to: TestError.self))
      case .sequence: attach(member, isHidden, Publishers.Sequence<[Int], TestError>(sequence: values))
      case .failure:
        let record = Record<Int, TestError>(output: values, completion: .failure("upstream"))
        attach(member, isHidden, record)
      }
    }

    private func attach<P: Publisher>(_ member: Operator, _ isHidden: Bool, _ source: P)
    where P.Output == Int, P.Failure == TestError {
      if isHidden { connect(member, source.handleEvents()) } else { connect(member, source) }
    }

    private func connect<P: Publisher>(_ member: Operator, _ source: P) where P.Output == Int, P.Failure == TestError {
      let look = { [unowned self] (value: Int) throws -> Int in try act("operator", value, .cancelInOperator) }
      let watch = { [unowned self] (value: Int) -> Int in (try? act("operator", value, .cancelInOperator)) ?? 0 }
      switch member {
      case .tryMap: run(source.tryMap(look))
      case .tryScan: run(source.tryScan(0) { $0 + (try look($1)) })
      case .tryFilter: run(source.tryFilter { try look($0) > 1 })
      case .tryCompactMap: run(source.tryCompactMap { try look($0) == 2 ? nil : $0 })
      case .removeDuplicates: run(source.removeDuplicates { watch($0) == watch($1) })
      case .tryRemoveDuplicates: run(source.tryRemoveDuplicates { try look($0) == look($1) })
      case .prefixWhile: run(source.prefix { watch($0) < 3 })
      case .tryPrefixWhile: run(source.tryPrefix { try look($0) < 3 })
      case .dropWhile: run(source.drop { watch($0) < 2 })
      case .tryDropWhile: run(source.tryDrop { try look($0) < 2 })
      case .output: run(source.map(watch).output(in: 1..<3))
      case .catch: run(source.map(watch).catch { _ in Just(watch(7)) })
      case .catchThenSequence:
        run(source.tryMap(look).catch { _ in Publishers.Sequence<[Int], TestError>(sequence: [7, 8]).map(watch) })
      case .tryCatch: run(source.map(watch).tryCatch { _ in Just(try look(7)) })
      case .append: run(source.map(watch).append(Just(7).setFailureType(to: TestError.self).map(watch)))
      case .appendSequence:
        run(source.map(watch).append(Publishers.Sequence<[Int], TestError>(sequence: [7, 8])))
      case .chain: run(source.tryMap(look).removeDuplicates().prefix { $0 < 3 }.tryCatch { _ in Just(try look(7)) })
      }
    }

    private func run<P: Publisher>(_ publisher: P) where P.Output == Int {
      let sink = Subscribers.Sink<Int, any Error>(
        receiveCompletion: { [unowned self] in
          switch $0 {
          case .finished: log.append("finished")
          case .failure(let error): log.append("failed: \(error)")
          }
        },
        receiveValue: { [unowned self] in _ = try? act("sink", $0, .cancelInSink) }
      )
      self.sink = sink
      publisher.mapError { $0 as any Error }.subscribe(sink)
    }

    private func act(_ who: String, _ value: Int, _ own: Deed) throws -> Int {
      log.append("\(who) \(value)")
      guard value == place else { return value }
      if deed == own { sink?.cancel() }
      if deed == .fail, own == .cancelInOperator { throw TestError("own") }
      return value
    }
  }

  @Test(arguments: Operator.allCases, Source.allCases)
  func areNotToldFromOthers(_ member: Operator, _ source: Source) {
    for deed in Deed.allCases {
      for place in [1, 2, 7] {
        let eager = Run(member, source, isHidden: false, deed, at: place).log
        let usual = Run(member, source, isHidden: true, deed, at: place).log
        #expect(eager == usual, "\(deed) at \(place)")
        #expect(!eager.isEmpty)
      }
    }
  }

  @Test func anEndlessSequenceEndsWithItsPrefix() {
    let numbers = sequence(first: 1) { $0 + 1 }
    let log = SharedLog<Int>()
    let cancellable = Publishers.Sequence<UnfoldFirstSequence<Int>, Never>(sequence: numbers)
      .tryMap { $0 * 2 }
      .tryPrefix { $0 < 7 }
      .sink(receiveCompletion: { _ in log.append(0) }, receiveValue: { log.append($0) })
    #expect(log.values == [2, 4, 6, 0])
    _ = cancellable
  }

  /// The second publisher is subscribed to while the sink has cancelled, and the subscription is cancelled on arrival.
  @Test func aReplacementAfterACancelSendsNothing() {
    var values: [Int] = []
    let sink = Subscribers.Sink<Int, any Error>(receiveCompletion: { _ in values.append(0) }) { values.append($0) }
    Just(1).setFailureType(to: TestError.self)
      .tryMap { _ -> Int in throw TestError("own") }
      .tryCatch { _ -> Just<Int> in
        sink.cancel()
        return Just(2)
      }
      .subscribe(sink)
    #expect(values == [])
  }
}
