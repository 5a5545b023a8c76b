import CombineCore
import CombineTesting

/// A running check for leaks.
final class LeakScope: Sendable {

  @TaskLocal static var current: LeakScope?

  /// The check to which a subscription on this thread belongs: that of the task, or that of the subscription at work.
  static var innermost: LeakScope? { current ?? Inspector.shared.thread.innermost?.scope }
}

extension Inspection {

  /// Fails the running test if a pipeline that is made inside a closure is alive afterwards.
  ///
  /// The failure names each subscriber that is alive, its pipeline, and the file and line where the subscription was made.
  /// It works in tests of Swift Testing and of XCTest.
  ///
  /// ```swift
  /// final class Counter {
  ///   let ticks = PassthroughSubject<Void, Never>()
  ///   var count = 0
  ///   private var cancellables: Set<AnyCancellable> = []
  ///
  ///   init() {
  ///     // With `self` instead of `[weak self]`, the check would fail here.
  ///     ticks.sink { [weak self] in self?.count += 1 }.store(in: &cancellables)
  ///   }
  /// }
  ///
  /// func theCounterIsReleased() async {
  ///   await Inspection.expectNoLeaks {
  ///     Counter().ticks.send()
  ///   }
  /// }
  /// ```
  ///
  /// A pipeline is made inside if the closure's task or one of its child tasks subscribes, or if a value of such a pipeline
  /// causes the subscription. No `inspect` stage is required.
  ///
  /// While the check runs, the introspection of Combine is on for the whole process: subscriptions that other tests make at
  /// the same time are slower, and their subscribers are in wrappers.
  ///
  /// - Parameters:
  ///   - patience: The maximum time to wait for subscriptions that other threads are about to end.
  ///   - isolation: The actor on which the closure runs.
  ///   - fileID: The place at which a failure is reported.
  ///   - filePath: The place at which a failure is reported.
  ///   - line: The place at which a failure is reported.
  ///   - column: The place at which a failure is reported.
  ///   - body: A closure that makes pipelines.
  /// - Returns: What the closure returns.
  public static func expectNoLeaks<Result>(
    patience: Duration = .milliseconds(200),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = LeakScope()
    Inspector.shared.beginCheck()
    defer { Inspector.shared.endCheck() }
    let result = try await LeakScope.$current.withValue(scope, operation: body, isolation: isolation)
    let deadline = ContinuousClock.now + patience
    var leaks = Leak.all(in: scope)
    while !leaks.isEmpty, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(2))
      leaks = Leak.all(in: scope)
    }
    if !leaks.isEmpty { TestFailure.record(Leak.message(leaks), at: CallSite(fileID, filePath, line, column)) }
    return result
  }
}

/// A pipeline that is alive.
private struct Leak {

  let stages: [Stage]

  /// Returns the pipelines of a check, each with its stages from the subscriber upwards.
  static func all(in scope: LeakScope) -> [Leak] {
    let stages = Inspector.shared.livingStages().filter { $0.scope === scope }
    guard !stages.isEmpty else { return [] }
    let links = Inspector.shared.links(of: stages)
    let living = Set(stages.map(\.id))
    let ends = stages.filter { stage in
      let isInner = stage.startedBy.map(living.contains) == true && stage.isOfOperator
      return links[stage.id]?.isEmpty != false && !isInner
    }
    // A circle of stages has no end. Then each is named.
    return (ends.isEmpty ? stages : ends).map { end in
      var chain = [end]
      while let next = stages.first(where: { stage in
        links[stage.id]?.contains(chain[chain.count - 1].id) == true && !chain.contains { $0 === stage }
      }) {
        chain.append(next)
      }
      return Leak(stages: chain)
    }
  }

  static func message(_ leaks: [Leak]) -> String {
    let lines = leaks.map { leak -> String in
      let place = leak.stages.lazy.compactMap(\.origin.place).first
      let report = Inspector.shared.report(of: leak.stages[0])
      let names = [leak.stages[0].subscriber] + leak.stages.map { Inspector.shared.report(of: $0).name }
      return "\(names.joined(separator: " ← ")), subscribed at \(place?.description ?? "an unknown place"),"
        + " \(report.valueCount) \(report.valueCount == 1 ? "value" : "values")"
        + (place.map { " [\($0.file):\($0.line)]" } ?? "")
    }
    let count = leaks.count == 1 ? "A pipeline is" : "\(leaks.count) pipelines are"
    return "\(count) alive that should have ended:\n" + lines.map { "- \($0)" }.joined(separator: "\n")
  }
}
