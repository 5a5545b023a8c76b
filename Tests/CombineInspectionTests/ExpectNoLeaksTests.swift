import CombineFoundation
import CombineInspection
import Foundation
import TestSupport
import Testing

/// Each test has a process of its own. One at a time, because each looks up lines in the debug information for seconds.
@Suite(.serialized) struct ExpectNoLeaksTests {

  @Test func acceptsAPipelineThatEnds() async {
    await #expect(processExitsWith: .success) { await Body.acceptsAPipelineThatEnds() }
  }

  @Test func waitsForAnotherThread() async {
    await #expect(processExitsWith: .success) { await Body.waitsForAnotherThread() }
  }

  @Test func findsASinkThatCapturesItsOwner() async {
    await #expect(processExitsWith: .success) { await Body.findsASinkThatCapturesItsOwner() }
  }

  @Test(.inLongRuns) func findsATimerThatIsNotCancelled() async {
    await #expect(processExitsWith: .success) { await Body.findsATimerThatIsNotCancelled() }
  }

  @Test(.inLongRuns) func findsAForgottenAssign() async {
    await #expect(processExitsWith: .success) { await Body.findsAForgottenAssign() }
  }

  @Test(.inLongRuns) func namesTheEndsOfPipelinesOnly() async {
    await #expect(processExitsWith: .success) { await Body.namesTheEndsOfPipelinesOnly() }
  }

  @Test func doesNotCountWhatWasThereBefore() async {
    await #expect(processExitsWith: .success) { await Body.doesNotCountWhatWasThereBefore() }
  }

  @Test func rethrowsTheErrorOfTheClosure() async {
    await #expect(processExitsWith: .success) { await Body.rethrowsTheErrorOfTheClosure() }
  }
}

private final class Owner {
  let ticks = PassthroughSubject<Void, Never>()
  var count = 0
  var cancellables: Set<AnyCancellable> = []
}

private final class Model {
  var name = ""
  let names = PassthroughSubject<String, Never>()
  var cancellable: AnyCancellable?
}

/// What the tests do in their processes.
private enum Body {

  static func acceptsAPipelineThatEnds() async {
    let sum = await Inspection.expectNoLeaks {
      var sum = 0
      let cancellable = [1, 2, 3].publisher.map { $0 }.sink { sum += $0 }
      let subject = PassthroughSubject<Int, Never>()
      let other = subject.merge(with: subject).sink { sum += $0 }
      subject.send(1)
      _ = (cancellable, other)
      return sum
    }
    #expect(sum == 8)
  }

  static func waitsForAnotherThread() async {
    await Inspection.expectNoLeaks(patience: .seconds(10)) {
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = subject.sink { _ in }
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { cancellable.cancel() }
    }
  }

  static func findsASinkThatCapturesItsOwner() async {
    let line = #line + 4
    await expectLeak(line, "Sink ← Map ← PassthroughSubject", "1 value") {
      let owner = Owner()
      owner.ticks.map {}
        .sink { owner.count += 1 }
        .store(in: &owner.cancellables)
      owner.ticks.send()
    }
  }

  static func findsATimerThatIsNotCancelled() async {
    nonisolated(unsafe) var kept: Set<AnyCancellable> = []  // One thread at a time uses it.
    let line = #line + 4
    await expectLeak(line, "Sink ← Autoconnect ← TimerPublisher", "0 values") {
      Timer.publish(every: 3600, on: .main, in: .common)
        .autoconnect()
        .sink { _ in }
        .store(in: &kept)
    }
    kept = []
  }

  static func findsAForgottenAssign() async {
    let line = #line + 3
    await expectLeak(line, "Assign", "PassthroughSubject", "1 value") {
      let model = Model()
      model.cancellable = model.names.assign(to: \.name, on: model)
      model.names.send("Ada")
    }
  }

  static func namesTheEndsOfPipelinesOnly() async {
    nonisolated(unsafe) var kept: Set<AnyCancellable> = []  // One thread at a time uses it.
    await expectLeak(nil, "A pipeline is alive", "Sink ← FlatMap") {
      let subject = PassthroughSubject<Int, Never>()
      subject.flatMap { _ in PassthroughSubject<Int, Never>().map { $0 } }.sink { _ in }.store(in: &kept)
      subject.send(1)
    }
    kept = []
  }

  static func doesNotCountWhatWasThereBefore() async {
    let subject = PassthroughSubject<Int, Never>()
    Inspection.start(.init(followsEverything: true))
    let before = subject.sink { _ in }
    await Inspection.expectNoLeaks { subject.send(1) }
    _ = before
  }

  static func rethrowsTheErrorOfTheClosure() async {
    struct Expected: Error {}
    await #expect(throws: Expected.self) {
      try await Inspection.expectNoLeaks { throw Expected() }
    }
    #expect(!Inspection.isActive)
  }
}

/// Runs a closure in a check that fails, and examines the failure's text.
///
/// - Parameters:
///   - line: The line that the failure names.
///   - texts: What the failure says.
private func expectLeak(_ line: Int?, _ texts: String..., body: () -> Void) async {
  await withKnownIssue {
    await Inspection.expectNoLeaks(patience: .zero) { body() }
  } matching: { issue in
    let message = issue.comments.map(\.rawValue).joined()
    #if DEBUG
      let place = line.map { "ExpectNoLeaksTests.swift:\($0)" } ?? ""
    #else
      let place = ""  // There is no debug information.
    #endif
    let missing = (texts + [place]).filter { !$0.isEmpty && !message.contains($0) }
    if !missing.isEmpty { print("missing \(missing) in: \(message)") }
    return missing.isEmpty
  }
}
