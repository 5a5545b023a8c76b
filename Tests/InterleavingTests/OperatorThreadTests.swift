import CombineCore
import TestSupport
import Testing

/// Every operator with one upstream, whose downstream requests or cancels on another thread.
@Suite struct OperatorThreadTests {

  typealias Make = @Sendable (Feed<Int>, StepScheduler) -> AnyPublisher<Int, TestError>

  static let operators: [(name: String, make: Make)] = [
    ("map", { upstream, _ in upstream.map { $0 }.eraseToAnyPublisher() }),
    ("tryMap", { upstream, _ in upstream.tryMap { $0 }.mapError { _ in "" }.eraseToAnyPublisher() }),
    ("scan", { upstream, _ in upstream.scan(0, +).eraseToAnyPublisher() }),
    ("tryScan", { upstream, _ in upstream.tryScan(0, +).mapError { _ in "" }.eraseToAnyPublisher() }),
    ("mapError", { upstream, _ in upstream.mapError { $0 }.eraseToAnyPublisher() }),
    ("filter", { upstream, _ in upstream.filter { $0 > 1 }.eraseToAnyPublisher() }),
    ("tryFilter", { upstream, _ in upstream.tryFilter { $0 > 1 }.mapError { _ in "" }.eraseToAnyPublisher() }),
    ("compactMap", { upstream, _ in upstream.compactMap { $0 > 1 ? $0 : nil }.eraseToAnyPublisher() }),
    ("removeDuplicates", { upstream, _ in upstream.removeDuplicates().eraseToAnyPublisher() }),
    ("ignoreOutput", { upstream, _ in upstream.ignoreOutput().count().eraseToAnyPublisher() }),
    ("replaceEmpty", { upstream, _ in upstream.replaceEmpty(with: 0).eraseToAnyPublisher() }),
    (
      "replaceError",
      { upstream, _ in
        upstream.replaceError(with: 0).setFailureType(to: TestError.self).eraseToAnyPublisher()
      }
    ),
    ("reduce", { upstream, _ in upstream.reduce(0, +).eraseToAnyPublisher() }),
    ("count", { upstream, _ in upstream.count().eraseToAnyPublisher() }),
    ("max", { upstream, _ in upstream.max().eraseToAnyPublisher() }),
    ("collect", { upstream, _ in upstream.collect().map(\.count).eraseToAnyPublisher() }),
    ("collect of 2", { upstream, _ in upstream.collect(2).map(\.count).eraseToAnyPublisher() }),
    ("contains", { upstream, _ in upstream.contains(1).map { $0 ? 1 : 0 }.eraseToAnyPublisher() }),
    ("allSatisfy", { upstream, _ in upstream.allSatisfy { $0 > 1 }.map { $0 ? 1 : 0 }.eraseToAnyPublisher() }),
    ("first", { upstream, _ in upstream.first().eraseToAnyPublisher() }),
    ("last", { upstream, _ in upstream.last().eraseToAnyPublisher() }),
    ("dropFirst", { upstream, _ in upstream.dropFirst().eraseToAnyPublisher() }),
    ("drop(while:)", { upstream, _ in upstream.drop { $0 == 1 }.eraseToAnyPublisher() }),
    ("prefix", { upstream, _ in upstream.prefix(1).eraseToAnyPublisher() }),
    ("prefix(while:)", { upstream, _ in upstream.prefix { $0 == 1 }.eraseToAnyPublisher() }),
    ("output(in:)", { upstream, _ in upstream.output(in: 0...1).eraseToAnyPublisher() }),
    ("handleEvents", { upstream, _ in upstream.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher() }),
    ("breakpoint", { upstream, _ in upstream.breakpoint().eraseToAnyPublisher() }),
    ("catch", { upstream, _ in upstream.catch { Fail<Int, TestError>(error: $0) }.eraseToAnyPublisher() }),
    (
      "tryCatch",
      { upstream, _ in
        upstream.tryCatch { Fail<Int, TestError>(error: $0) }.mapError { _ in "" }.eraseToAnyPublisher()
      }
    ),
    ("retry", { upstream, _ in upstream.retry(1).eraseToAnyPublisher() }),
    ("append", { upstream, _ in upstream.append(7).eraseToAnyPublisher() }),
    ("prepend", { upstream, _ in upstream.prepend(7).eraseToAnyPublisher() }),
    (
      "flatMap",
      { upstream, _ in
        upstream.flatMap { Just($0).setFailureType(to: TestError.self) }.eraseToAnyPublisher()
      }
    ),
    (
      "switchToLatest",
      { upstream, _ in
        upstream.map { Just($0).setFailureType(to: TestError.self) }.switchToLatest().eraseToAnyPublisher()
      }
    ),
    ("merge with nothing", { upstream, _ in upstream.merge(with: Empty<Int, TestError>()).eraseToAnyPublisher() }),
    (
      "buffer",
      { upstream, _ in
        upstream.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest).eraseToAnyPublisher()
      }
    ),
    ("share", { upstream, _ in upstream.share().eraseToAnyPublisher() }),
    (
      "multicast",
      { upstream, _ in
        upstream.multicast { PassthroughSubject<Int, TestError>() }.autoconnect().eraseToAnyPublisher()
      }
    ),
    (
      "measureInterval",
      { upstream, scheduler in
        upstream.measureInterval(using: scheduler).map(\.magnitude).eraseToAnyPublisher()
      }
    ),
    ("receive(on:)", { upstream, scheduler in upstream.receive(on: scheduler).eraseToAnyPublisher() }),
    ("delay", { upstream, scheduler in upstream.delay(for: 10, scheduler: scheduler).eraseToAnyPublisher() }),
    ("debounce", { upstream, scheduler in upstream.debounce(for: 10, scheduler: scheduler).eraseToAnyPublisher() }),
    (
      "throttle",
      { upstream, scheduler in
        upstream.throttle(for: 10, scheduler: scheduler, latest: true).eraseToAnyPublisher()
      }
    ),
    ("timeout", { upstream, scheduler in upstream.timeout(10, scheduler: scheduler).eraseToAnyPublisher() }),
    (
      "collect by time",
      { upstream, scheduler in
        upstream.collect(.byTime(scheduler, 10)).map(\.count).eraseToAnyPublisher()
      }
    ),
  ]

  /// Runs a program: the upstream sends two values and a completion, the downstream acts, and the scheduler runs its
  /// actions.
  private func run(
    _ name: String,
    _ make: @escaping Make,
    isFailure: Bool,
    downstream act: @escaping (Witness<Int>) -> Void,
    check: @escaping (inout Verdict, Feed<Int>, Witness<Int>) -> Void
  ) {
    expectNoFault(name) {
      let (upstream, scheduler) = (Feed<Int>("upstream"), StepScheduler())
      // One operator forwards every value, beyond any demand.
      let witness = Witness<Int>(requesting: .max(1), ignoringDemand: name.hasPrefix("replaceEmpty"))
      make(upstream, scheduler).subscribe(witness)
      return ThreadedProgram(
        threads: [
          {
            upstream.send(1)
            scheduler.run()
            upstream.send(2)
            isFailure ? upstream.fail() : upstream.complete()
            scheduler.runAll()
          },
          { act(witness) },
        ],
        faults: {
          scheduler.fire()
          scheduler.runAll()
          var verdict = Verdict(witness)
          verdict.require(upstream.cancelCount <= 1, "the upstream was cancelled \(upstream.cancelCount) times")
          check(&verdict, upstream, witness)
          return verdict.faults
        }
      )
    }
  }

  @Test(arguments: operators.indices) func aCancelOnAnotherThread(index: Int) {
    let (name, make) = Self.operators[index]
    run("\(name), a cancel", make, isFailure: false, downstream: { $0.cancel() }) { verdict, upstream, witness in
      verdict.require(
        witness.isCompleted || upstream.isCompleted || upstream.cancelCount == 1 || upstream.subscribeCount == 0,
        "neither completed nor cancelled"
      )
    }
  }

  @Test(arguments: operators.indices) func aRequestOnAnotherThread(index: Int) {
    let (name, make) = Self.operators[index]
    for isFailure in [true, false] {
      run(
        "\(name), a request and a \(isFailure ? "failure" : "finish")",
        make,
        isFailure: isFailure,
        downstream: {
          $0.request(.max(1)); $0.request(.unlimited)
        }
      ) { verdict, upstream, witness in
        // The failure of a first attempt is not forwarded.
        let isAnswered = name == "retry" && isFailure && upstream.subscribeCount == 2
        verdict.require(witness.isCompleted || isAnswered, "the completion is missing")
      }
    }
  }
}
