import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var sources: [Entry] {
    singleValues + sequences + futures + deferred + justOperators + optionalOperators + resultOperators
      + sequenceOperators + operatorsOnSources
  }
}

// A source of one value that is cancelled inside the delivery of that value has already released its subscription, and
// finishes (rows `single-value.reentrant` and `future.reentrant`).
private let completesAfterCancel: Set<Law> = [.nothingAfterCancel]

// A deferred publisher adds nothing: the subscription is the source's own, to which each cancel goes (row
// `deferred.subscriber`).
private let passesThrough: Set<Law> = [.noSecondCancel]

// A source that waits for demand holds its subscriber, and an operator holds the source's subscription. Both are
// released when they end (row `source.release`).
private func single(
  _ name: String,
  parameters: [ClosedRange<Int>] = [],
  build: @escaping (Stage) -> Void
) -> Entry {
  Entry(
    name,
    sources: 0,
    parameters: parameters,
    subscribers: 2,
    traits: .closures,
    exemptFrom: completesAfterCancel
  ) { stage in
    stage.cancelAtEnd()
    build(stage)
  }
}

// MARK: Publishers

extension Catalogue {

  private static var singleValues: [Entry] {
    [
      single("Just", parameters: [0...9]) { stage in stage.present(Just(stage.parameter(0))) },
      single("Optional.publisher", parameters: [0...9]) { stage in stage.present(optional(stage).publisher) },
      single("Result.publisher", parameters: [0...9]) { stage in stage.present(result(stage).publisher) },
      single("Result.Publisher of a value", parameters: [0...9]) { stage in
        stage.present(Result<Int, Fault>.Publisher(stage.parameter(0)))
      },
      single("Result.Publisher of an error", parameters: [0...9]) { stage in
        stage.present(Result<Int, Fault>.Publisher(Fault(code: stage.parameter(0))))
      },
      single("Empty", parameters: [0...1]) { stage in
        stage.present(Empty<Int, Fault>(completeImmediately: stage.parameter(0) == 1))
      },
      single("Fail", parameters: [0...3]) { stage in
        stage.present(Fail<Int, Fault>(error: Fault(code: stage.parameter(0))))
      },
    ]
  }

  private static var sequences: [Entry] {
    [
      single("Sequence", parameters: [0...6, 0...9]) { stage in
        stage.present(Publishers.Sequence<[Int], Fault>(sequence: elements(stage)))
      },
      single("Sequence range", parameters: [0...6]) { stage in stage.present((0..<stage.parameter(0)).publisher) },
      single("Sequence iterated step by step", parameters: [0...6]) { stage in
        stage.present(CountingSequence(count: stage.parameter(0), stage: stage).publisher)
      },
      single("Record", parameters: [0...6, 0...9, 0...1]) { stage in
        stage.present(Record<Int, Fault>(output: elements(stage), completion: completion(stage.parameter(2))))
      },
      single("Record by a closure", parameters: [0...6, 0...9, 0...2]) { stage in
        stage.present(
          Record<Int, Fault> { recording in
            for element in elements(stage) { recording.receive(element) }
            if stage.parameter(2) < 2 { recording.receive(completion: completion(stage.parameter(2))) }
          }
        )
      },
    ]
  }

  private static var futures: [Entry] {
    [
      Entry("Future", subscribers: 3, exemptFrom: completesAfterCancel) { stage in stage.present(stage.future()) },
      Entry("Future one subscriber", exemptFrom: completesAfterCancel) { stage in stage.present(stage.future()) },
      Entry("Future resolved at once", parameters: [0...9], subscribers: 2, exemptFrom: completesAfterCancel) { stage in
        stage.present(stage.future(resolvedWith: result(stage)))
      },
      Entry("Future map", subscribers: 2, traits: .closures, exemptFrom: completesAfterCancel) { stage in
        stage.present(stage.future().map(stage.transform))
      },
      Entry("Future retry", subscribers: 2, exemptFrom: completesAfterCancel) { stage in
        stage.present(stage.future().retry(2))
      },
      // The peer loses a cancel inside the handler (row `mixing.cancel-inside-closure`).
      Entry(
        "Future catch",
        sources: 2,
        subscribers: 2,
        traits: .closures,
        exemptFrom: completesAfterCancel.union([.demand])
      ) { stage in
        let other = stage.future()
        stage.present(
          stage.future().catch { error in
            stage.note(closure: "catch(\(error))")
            return other
          }
        )
      },
    ]
  }

  private static var deferred: [Entry] {
    [
      Entry("Deferred", subscribers: 3, traits: .closures, exemptFrom: passesThrough) { stage in
        let source = stage.source()
        stage.present(
          Deferred { () -> Source<Int, Fault> in
            stage.note(closure: "createPublisher")
            return source
          }
        )
      },
      single("Deferred Just", parameters: [0...9]) { stage in
        stage.present(
          Deferred { () -> Just<Int> in
            stage.note(closure: "createPublisher")
            return Just(stage.parameter(0))
          }
        )
      },
      Entry("Deferred Future", subscribers: 3, traits: .closures, exemptFrom: completesAfterCancel) { stage in
        stage.present(stage.deferredFuture())
      },
      Entry("Deferred Future retry", parameters: [0...3], traits: .closures, exemptFrom: completesAfterCancel) {
        stage in
        stage.present(stage.deferredFuture().retry(stage.parameter(0)))
      },
      Entry("Deferred erased", subscribers: 2, traits: .closures, exemptFrom: passesThrough) { stage in
        let source = stage.source()
        stage.present(
          Deferred { () -> AnyPublisher<Int, Fault> in
            stage.note(closure: "outer")
            return Deferred { () -> Source<Int, Fault> in
              stage.note(closure: "inner")
              return source
            }
            .eraseToAnyPublisher()
          }
          .eraseToAnyPublisher()
        )
      },
    ]
  }
}

// MARK: Operators that a source redefines

/// Returns an entry for an operator that `Just` redefines. The first parameter is the value.
private func just<P: Publisher>(
  _ name: String,
  _ parameters: ClosedRange<Int>...,
  apply: @escaping (Just<Int>, Stage) -> P
) -> Entry {
  single("Just.\(name)", parameters: [0...9] + parameters) { stage in
    stage.present(apply(Just(stage.parameter(0)), stage))
  }
}

/// The same for `Optional.Publisher`, whose value is missing if the first parameter is zero.
private func optional<P: Publisher>(
  _ name: String,
  _ parameters: ClosedRange<Int>...,
  apply: @escaping (Optional<Int>.Publisher, Stage) -> P
) -> Entry {
  single("Optional.\(name)", parameters: [0...9] + parameters) { stage in
    stage.present(apply(optional(stage).publisher, stage))
  }
}

/// The same for `Result.Publisher`, which is a failure if the first parameter is zero.
private func result<P: Publisher>(
  _ name: String,
  apply: @escaping (Result<Int, Fault>.Publisher, Stage) -> P
) -> Entry {
  single("Result.\(name)", parameters: [0...9]) { stage in
    stage.present(apply(result(stage).publisher, stage))
  }
}

/// The same for a sequence that can fail. The first two parameters decide its elements.
private func sequence<P: Publisher>(
  _ name: String,
  _ parameters: ClosedRange<Int>...,
  apply: @escaping (Publishers.Sequence<[Int], Fault>, Stage) -> P
) -> Entry {
  single("Sequence.\(name)", parameters: [0...6, 0...9] + parameters) { stage in
    stage.present(apply(.init(sequence: elements(stage)), stage))
  }
}

/// The same for a sequence that cannot fail.
private func infallible<P: Publisher>(
  _ name: String,
  _ parameters: ClosedRange<Int>...,
  apply: @escaping (Publishers.Sequence<[Int], Never>, Stage) -> P
) -> Entry {
  single("Sequence.\(name)", parameters: [0...6, 0...9] + parameters) { stage in
    stage.present(apply(elements(stage).publisher, stage))
  }
}

extension Catalogue {

  private static var justOperators: [Entry] {
    [
      just("min") { just, _ in just.min() },
      just("max") { just, _ in just.max() },
      just("min(by:)") { just, stage in just.min(by: stage.isBefore) },
      just("max(by:)") { just, stage in just.max(by: stage.isBefore) },
      just("contains", 0...9) { just, stage in just.contains(stage.parameter(1)) },
      just("contains(where:)") { just, stage in just.contains(where: stage.isEven) },
      just("tryContains(where:)") { just, stage in just.tryContains(where: stage.tryIsEven) },
      just("allSatisfy") { just, stage in just.allSatisfy(stage.isEven) },
      just("tryAllSatisfy") { just, stage in just.tryAllSatisfy(stage.tryIsEven) },
      just("removeDuplicates") { just, _ in just.removeDuplicates() },
      just("removeDuplicates(by:)") { just, stage in just.removeDuplicates(by: stage.isSame) },
      just("tryRemoveDuplicates(by:)") { just, stage in just.tryRemoveDuplicates(by: stage.tryIsSame) },
      just("collect") { just, _ in just.collect() },
      just("count") { just, _ in just.count() },
      just("dropFirst", -1...2) { just, stage in just.dropFirst(stage.parameter(1)) },
      just("drop(while:)") { just, stage in just.drop(while: stage.isEven) },
      just("first") { just, _ in just.first() },
      just("last") { just, _ in just.last() },
      just("first(where:)") { just, stage in just.first(where: stage.isEven) },
      just("last(where:)") { just, stage in just.last(where: stage.isEven) },
      just("filter") { just, stage in just.filter(stage.isEven) },
      just("prefix(while:)") { just, stage in just.prefix(while: stage.isEven) },
      just("ignoreOutput") { just, _ in just.ignoreOutput() },
      just("map") { just, stage in just.map(stage.transform) },
      just("tryMap") { just, stage in just.tryMap(stage.tryTransform) },
      just("compactMap") { just, stage in just.compactMap(stage.half) },
      just("mapError") { just, _ in just.mapError(fault) },
      just("setFailureType") { just, _ in just.setFailureType(to: Fault.self) },
      just("replaceError") { just, _ in just.replaceError(with: 7) },
      just("replaceEmpty") { just, _ in just.replaceEmpty(with: 7) },
      just("retry", 0...2) { just, stage in just.retry(stage.parameter(1)) },
      just("reduce") { just, stage in just.reduce(100, stage.sum) },
      just("scan") { just, stage in just.scan(100, stage.sum) },
      just("tryReduce") { just, stage in just.tryReduce(100, stage.trySum) },
      just("tryScan") { just, stage in just.tryScan(100, stage.trySum) },
      just("output(at:)", -1...2) { just, stage in just.output(at: stage.parameter(1)) },
      just("output(in:)", -2...2, 0...3) { just, stage in just.output(in: range(stage, from: 1)) },
      just("output(in:) without end", -2...2) { just, stage in just.output(in: stage.parameter(1)...) },
      just("prefix", -1...2) { just, stage in just.prefix(stage.parameter(1)) },
      just("prepend") { just, _ in just.prepend(20, 21) },
      just("prepend sequence", 0...2) { just, stage in just.prepend(20..<20 + stage.parameter(1)) },
      just("append") { just, _ in just.append(20, 21) },
      just("append sequence", 0...2) { just, stage in just.append(20..<20 + stage.parameter(1)) },
      just("tryFilter") { just, stage in just.tryFilter(stage.tryIsEven) },
      just("append publisher") { just, stage in just.append(Just(20)) },
      just("flatMap") { just, stage in just.flatMap { Just(stage.transform($0)) } },
    ]
  }

  private static var optionalOperators: [Entry] {
    [
      optional("min") { optional, _ in optional.min() },
      optional("max") { optional, _ in optional.max() },
      optional("min(by:)") { optional, stage in optional.min(by: stage.isBefore) },
      optional("max(by:)") { optional, stage in optional.max(by: stage.isBefore) },
      optional("contains", 0...9) { optional, stage in optional.contains(stage.parameter(1)) },
      optional("contains(where:)") { optional, stage in optional.contains(where: stage.isEven) },
      optional("allSatisfy") { optional, stage in optional.allSatisfy(stage.isEven) },
      optional("removeDuplicates") { optional, _ in optional.removeDuplicates() },
      optional("removeDuplicates(by:)") { optional, stage in optional.removeDuplicates(by: stage.isSame) },
      optional("collect") { optional, _ in optional.collect() },
      optional("count") { optional, _ in optional.count() },
      optional("compactMap") { optional, stage in optional.compactMap(stage.half) },
      optional("map") { optional, stage in optional.map(stage.transform) },
      optional("filter") { optional, stage in optional.filter(stage.isEven) },
      optional("first(where:)") { optional, stage in optional.first(where: stage.isEven) },
      optional("last(where:)") { optional, stage in optional.last(where: stage.isEven) },
      optional("prefix(while:)") { optional, stage in optional.prefix(while: stage.isEven) },
      optional("drop(while:)") { optional, stage in optional.drop(while: stage.isEven) },
      optional("dropFirst", -1...2) { optional, stage in optional.dropFirst(stage.parameter(1)) },
      optional("first") { optional, _ in optional.first() },
      optional("last") { optional, _ in optional.last() },
      optional("ignoreOutput") { optional, _ in optional.ignoreOutput() },
      optional("output(at:)", -1...2) { optional, stage in optional.output(at: stage.parameter(1)) },
      optional("output(in:)", -2...2, 0...3) { optional, stage in optional.output(in: range(stage, from: 1)) },
      optional("output(in:) without end", 0...2) { optional, stage in optional.output(in: stage.parameter(1)...) },
      optional("output(in:) without start", 0...2) { optional, stage in optional.output(in: ..<stage.parameter(1)) },
      optional("prefix", -1...2) { optional, stage in optional.prefix(stage.parameter(1)) },
      optional("reduce") { optional, stage in optional.reduce(100, stage.sum) },
      optional("scan") { optional, stage in optional.scan(100, stage.sum) },
      optional("replaceError") { optional, _ in optional.replaceError(with: 7) },
      optional("replaceEmpty") { optional, _ in optional.replaceEmpty(with: 7) },
      optional("retry", 0...2) { optional, stage in optional.retry(stage.parameter(1)) },
      optional("tryMap") { optional, stage in optional.tryMap(stage.tryTransform) },
      optional("setFailureType") { optional, _ in optional.setFailureType(to: Fault.self) },
      optional("append") { optional, _ in optional.append(20, 21) },
      optional("prepend") { optional, _ in optional.prepend(20, 21) },
    ]
  }

  private static var resultOperators: [Entry] {
    [
      result("min") { result, _ in result.min() },
      result("max") { result, _ in result.max() },
      result("min(by:)") { result, stage in result.min(by: stage.isBefore) },
      result("max(by:)") { result, stage in result.max(by: stage.isBefore) },
      result("tryMin(by:)") { result, stage in result.tryMin(by: stage.tryIsBefore) },
      result("tryMax(by:)") { result, stage in result.tryMax(by: stage.tryIsBefore) },
      result("contains") { result, _ in result.contains(4) },
      result("contains(where:)") { result, stage in result.contains(where: stage.isEven) },
      result("allSatisfy") { result, stage in result.allSatisfy(stage.isEven) },
      result("tryContains(where:)") { result, stage in result.tryContains(where: stage.tryIsEven) },
      result("tryAllSatisfy") { result, stage in result.tryAllSatisfy(stage.tryIsEven) },
      result("removeDuplicates") { result, _ in result.removeDuplicates() },
      result("removeDuplicates(by:)") { result, stage in result.removeDuplicates(by: stage.isSame) },
      result("tryRemoveDuplicates(by:)") { result, stage in result.tryRemoveDuplicates(by: stage.tryIsSame) },
      result("collect") { result, _ in result.collect() },
      result("count") { result, _ in result.count() },
      result("first") { result, _ in result.first() },
      result("last") { result, _ in result.last() },
      result("ignoreOutput") { result, _ in result.ignoreOutput() },
      result("map") { result, stage in result.map(stage.transform) },
      result("tryMap") { result, stage in result.tryMap(stage.tryTransform) },
      result("mapError") { result, stage in result.mapError(stage.translate) },
      result("replaceError") { result, _ in result.replaceError(with: 7) },
      result("replaceEmpty") { result, _ in result.replaceEmpty(with: 7) },
      result("retry") { result, _ in result.retry(2) },
      result("reduce") { result, stage in result.reduce(100, stage.sum) },
      result("scan") { result, stage in result.scan(100, stage.sum) },
      result("tryReduce") { result, stage in result.tryReduce(100, stage.trySum) },
      result("tryScan") { result, stage in result.tryScan(100, stage.trySum) },
      single("Result.setFailureType", parameters: [0...9]) { stage in
        stage.present(Result<Int, Never>.success(stage.parameter(0)).publisher.setFailureType(to: Fault.self))
      },
      result("filter") { result, stage in result.filter(stage.isEven) },
      result("compactMap") { result, stage in result.compactMap(stage.half) },
      result("append") { result, _ in result.append(20, 21) },
    ]
  }

  private static var sequenceOperators: [Entry] {
    [
      infallible("min(by:)") { sequence, stage in sequence.min(by: stage.isBefore) },
      infallible("max(by:)") { sequence, stage in sequence.max(by: stage.isBefore) },
      infallible("min") { sequence, _ in sequence.min() },
      infallible("max") { sequence, _ in sequence.max() },
      infallible("first(where:)") { sequence, stage in sequence.first(where: stage.isEven) },
      infallible("first") { sequence, _ in sequence.first() },
      infallible("last") { sequence, _ in sequence.last() },
      infallible("last(where:)") { sequence, stage in sequence.last(where: stage.isEven) },
      infallible("output(at:)", -1...7) { sequence, stage in sequence.output(at: stage.parameter(2)) },
      infallible("count") { sequence, _ in sequence.count() },
      sequence("output(in:)", -1...4, 0...3) { sequence, stage in sequence.output(in: range(stage, from: 2)) },
      sequence("count of one that can fail") { sequence, _ in sequence.count() },
      sequence("contains", 0...9) { sequence, stage in sequence.contains(stage.parameter(2)) },
      sequence("contains(where:)") { sequence, stage in sequence.contains(where: stage.isEven) },
      sequence("tryContains(where:)") { sequence, stage in sequence.tryContains(where: stage.tryIsEven) },
      sequence("allSatisfy") { sequence, stage in sequence.allSatisfy(stage.isEven) },
      sequence("tryAllSatisfy") { sequence, stage in sequence.tryAllSatisfy(stage.tryIsEven) },
      sequence("collect") { sequence, _ in sequence.collect() },
      sequence("reduce") { sequence, stage in sequence.reduce(100, stage.sum) },
      sequence("tryReduce") { sequence, stage in sequence.tryReduce(100, stage.trySum) },
      sequence("map") { sequence, stage in sequence.map(stage.transform) },
      sequence("compactMap") { sequence, stage in sequence.compactMap(stage.half) },
      sequence("filter") { sequence, stage in sequence.filter(stage.isEven) },
      sequence("scan") { sequence, stage in sequence.scan(100, stage.sum) },
      sequence("removeDuplicates") { sequence, _ in sequence.removeDuplicates() },
      sequence("drop(while:)") { sequence, stage in sequence.drop(while: stage.isEven) },
      sequence("dropFirst", -1...4) { sequence, stage in sequence.dropFirst(stage.parameter(2)) },
      sequence("prefix", -1...4) { sequence, stage in sequence.prefix(stage.parameter(2)) },
      sequence("prefix(while:)") { sequence, stage in sequence.prefix(while: stage.isEven) },
      sequence("ignoreOutput") { sequence, _ in sequence.ignoreOutput() },
      sequence("setFailureType") { sequence, _ in sequence.setFailureType(to: OtherFault.self) },
      sequence("prepend") { sequence, _ in sequence.prepend(20, 21) },
      sequence("prepend sequence", 0...2) { sequence, stage in sequence.prepend(20..<20 + stage.parameter(2)) },
      sequence("prepend publisher", 0...2) { sequence, stage in
        sequence.prepend(Publishers.Sequence(sequence: Array(20..<20 + stage.parameter(2))))
      },
      sequence("append") { sequence, _ in sequence.append(20, 21) },
      sequence("append sequence", 0...2) { sequence, stage in sequence.append(20..<20 + stage.parameter(2)) },
      sequence("append publisher", 0...2) { sequence, stage in
        sequence.append(Publishers.Sequence(sequence: Array(20..<20 + stage.parameter(2))))
      },
      single("Sequence.replaceNil", parameters: [0...6, 0...9]) { stage in
        stage.present(elements(stage).map { $0.isMultiple(of: 2) ? $0 : nil }.publisher.replaceNil(with: 7))
      },
      sequence("tryMap") { sequence, stage in sequence.tryMap(stage.tryTransform) },
      sequence("tryFilter") { sequence, stage in sequence.tryFilter(stage.tryIsEven) },
      sequence("tryScan") { sequence, stage in sequence.tryScan(100, stage.trySum) },
      sequence("collect by count", 1...3) { sequence, stage in sequence.collect(stage.parameter(2)) },
      sequence("dropFirst and prefix", 0...2, 0...3) { sequence, stage in
        sequence.dropFirst(stage.parameter(2)).prefix(stage.parameter(3))
      },
    ]
  }

  /// Operators of all publishers, on sources that send inside a request.
  private static var operatorsOnSources: [Entry] {
    var entries = [
      sequence("append generic") { sequence, stage in sequence.append(Just(20).setFailureType(to: Fault.self)) },
      sequence("flatMap one by one") { sequence, stage in
        sequence.flatMap(maxPublishers: .max(1)) { value in
          Publishers.Sequence<[Int], Fault>(sequence: Array(repeating: stage.transform(value), count: value % 3))
        }
      },
      sequence("map and switchToLatest") { sequence, stage in
        sequence.map { Publishers.Sequence<[Int], Fault>(sequence: Array(repeating: $0, count: 3)) }.switchToLatest()
      },
      sequence("tryMap catch") { sequence, stage in
        sequence.tryMap(stage.tryTransform).catch { _ in (30...32).publisher }
      },
      sequence("tryMap retry", 0...2) { sequence, stage in
        sequence.tryMap(stage.tryTransform).retry(stage.parameter(2))
      },
      single("Record append", parameters: [0...4, 0...9, 0...1]) { stage in
        let record = Record<Int, Fault>(output: elements(stage), completion: completion(stage.parameter(2)))
        stage.present(record.append(record))
      },
      single("Fail catch Empty", parameters: [0...1]) { stage in
        stage.present(
          Fail<Int, Fault>(error: Fault(code: 1)).catch { error in
            stage.note(closure: "catch(\(error))")
            return Empty<Int, Fault>(completeImmediately: stage.parameter(0) == 1)
          }
        )
      },
    ]
    #if !OPENCOMBINE
      // Differences between zips and between flatMaps are compared with sources that a script controls. An inner
      // publisher that fails does not affect flatMap's upstream (row `flat-map.failure`).
      entries += [
        sequence("flatMap", 0...2) { sequence, stage in
          let limit = stage.parameter(2)
          return sequence.flatMap(maxPublishers: limit == 0 ? .unlimited : .max(limit)) { value in
            Publishers.Sequence<[Int], Fault>(sequence: Array(repeating: stage.transform(value), count: value % 3))
          }
        },
        sequence("zip", 0...6) { sequence, stage in
          sequence.zip((0..<stage.parameter(2)).publisher.setFailureType(to: Fault.self))
        },
        single("Record zip", parameters: [0...4, 0...9, 0...1]) { stage in
          let record = Record<Int, Fault>(output: elements(stage), completion: completion(stage.parameter(2)))
          stage.present(record.zip(record)) { "\($0)" }
        },
        Entry(
          "Future flatMap",
          sources: 3,
          parameters: [0...2],
          traits: .closures,
          exemptFrom: [.cancelReachesUpstream]
        ) { stage in
          let outer = stage.source()
          let futures = [stage.future(), stage.future()]
          let limit = stage.parameter(0)
          stage.present(
            outer.flatMap(maxPublishers: limit == 0 ? .unlimited : .max(limit)) { value in
              stage.note(closure: "transform(\(value))")
              return futures[value % 2]
            }
          )
        },
      ]
    #endif
    return entries
  }
}

// MARK: What they are made of

private func optional(_ stage: Stage) -> Int? {
  stage.parameter(0) == 0 ? nil : stage.parameter(0)
}

private func result(_ stage: Stage) -> Result<Int, Fault> {
  stage.parameter(0) == 0 ? .failure(Fault(code: 0)) : .success(stage.parameter(0))
}

/// Returns elements: their number is the first parameter, and their start is the second one.
private func elements(_ stage: Stage) -> [Int] {
  let all = [3, 4, 4, 5, 0, 0, 2, 8, 6, 5]
  return (0..<stage.parameter(0)).map { all[($0 + stage.parameter(1)) % all.count] }
}

private func completion(_ choice: Int) -> Subscribers.Completion<Fault> {
  choice == 0 ? .finished : .failure(Fault(code: 3))
}

/// Returns a range that starts at one parameter and whose length is the next one.
private func range(_ stage: Stage, from index: Int) -> Range<Int> {
  stage.parameter(index)..<stage.parameter(index) + stage.parameter(index + 1)
}

/// Never called.
private func fault(_ never: Never) -> Fault {}

private enum OtherFault: Error {}

/// A sequence that logs each step of its iteration.
private struct CountingSequence: Sequence, IteratorProtocol, CustomStringConvertible {

  let count: Int
  unowned let stage: Stage
  private var position = 0

  init(count: Int, stage: Stage) {
    self.count = count
    self.stage = stage
  }

  mutating func next() -> Int? {
    guard position < count else {
      stage.note("next() is nil")
      return nil
    }
    stage.note("next() is \(position)")
    position += 1
    return position - 1
  }

  var description: String { "Counting" }
}

extension Stage {

  /// Returns a future that a script resolves. To finish it, the script releases the promise. The future and its waiting
  /// subscribers keep each other alive. So after the run it fails, and subscribers that have not ended are cancelled.
  fileprivate func future(resolvedWith first: Result<Int, Fault>? = nil) -> Future<Int, Fault> {
    var promise: ((Result<Int, Fault>) -> Void)?
    let future = Future<Int, Fault> { fulfil in
      if let first { fulfil(first) }
      promise = fulfil
    }
    control {
      promise
    } drop: {
      promise = nil
    }
    return future
  }

  /// Returns a publisher with a new future for each subscriber. The script resolves the latest.
  fileprivate func deferredFuture() -> Deferred<Future<Int, Fault>> {
    var promise: ((Result<Int, Fault>) -> Void)?
    control {
      promise
    } drop: {
      promise = nil
    }
    return Deferred { [unowned self] () -> Future<Int, Fault> in
      note(closure: "createPublisher")
      return Future { promise = $0 }
    }
  }

  private func control(_ promise: @escaping () -> ((Result<Int, Fault>) -> Void)?, drop: @escaping () -> Void) {
    cancelAtEnd()
    direct(
      DirectEvents(
        send: { promise()?(.success($0)) },
        finish: drop,
        fail: { promise()?(.failure(Fault(code: $0))) },
        tearDown: {
          promise()?(.failure(Fault(code: 9)))
          drop()
        }
      )
    )
  }
}
