import CombineFoundation
import CombineInspection
import Foundation
import TestSupport
import Testing

/// Each test has a process of its own. One at a time, because each looks up lines in the debug information for seconds.
@Suite(.serialized, .capturesFailures) struct ExpectNoLeaksTests {

  @Test func acceptsAPipelineThatEnds() async {
    await #expect(processExitsWith: .success) { await Body.acceptsAPipelineThatEnds() }
  }

  @Test func waitsForAnotherThread() async {
    await #expect(processExitsWith: .success) { await Body.waitsForAnotherThread() }
  }

  @Test(.inLongRuns) func findsASinkThatCapturesItsOwner() async {
    await expectLeak(Body.sinkLine, "Sink ← Map ← PassthroughSubject", "1 value") {
      await #expect(processExitsWith: .success) { await Body.findsASinkThatCapturesItsOwner() }
    }
  }

  @Test(.inLongRuns) func findsATimerThatIsNotCancelled() async {
    await expectLeak(Body.timerLine, "Sink ← Autoconnect ← TimerPublisher", "0 values") {
      await #expect(processExitsWith: .success) { await Body.findsATimerThatIsNotCancelled() }
    }
  }

  @Test(.inLongRuns) func findsAForgottenAssign() async {
    await expectLeak(Body.assignLine, "Assign", "PassthroughSubject", "1 value") {
      await #expect(processExitsWith: .success) { await Body.findsAForgottenAssign() }
    }
  }

  @Test(.inLongRuns) func namesTheEndsOfPipelinesOnly() async {
    await expectLeak(nil, "A pipeline is alive", "Sink ← FlatMap") {
      await #expect(processExitsWith: .success) { await Body.namesTheEndsOfPipelinesOnly() }
    }
  }

  /// The name of this module begins as those of the library do.
  @Test(.inLongRuns) func namesASubscriberOfAClientWhoseModuleBeginsWithCombine() async {
    await expectLeak(nil, "2 pipelines are alive", "- ClientSubscriber ← PassthroughSubject") {
      await #expect(processExitsWith: .success) {
        await Body.namesASubscriberOfAClientWhoseModuleBeginsWithCombine()
      }
    }
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

private final class ClientSubscriber: Subscriber {
  var subscription: (any Subscription)?

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: Int) -> Subscribers.Demand { .none }

  func receive(completion: Subscribers.Completion<Never>) {}
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

  static let sinkLine = #line + 6

  static func findsASinkThatCapturesItsOwner() async {
    await Inspection.expectNoLeaks(patience: .zero) {
      let owner = Owner()
      owner.ticks.map {}
        .sink { owner.count += 1 }
        .store(in: &owner.cancellables)
      owner.ticks.send()
    }
  }

  static let timerLine = #line + 7

  static func findsATimerThatIsNotCancelled() async {
    nonisolated(unsafe) var kept: Set<AnyCancellable> = []  // One thread at a time uses it.
    await Inspection.expectNoLeaks(patience: .zero) {
      Timer.publish(every: 3600, on: .main, in: .common)
        .autoconnect()
        .sink { _ in }
        .store(in: &kept)
    }
    kept = []
  }

  static let assignLine = #line + 5

  static func findsAForgottenAssign() async {
    await Inspection.expectNoLeaks(patience: .zero) {
      let model = Model()
      model.cancellable = model.names.assign(to: \.name, on: model)
      model.names.send("Ada")
    }
  }

  static func namesTheEndsOfPipelinesOnly() async {
    nonisolated(unsafe) var kept: Set<AnyCancellable> = []  // One thread at a time uses it.
    await Inspection.expectNoLeaks(patience: .zero) {
      let subject = PassthroughSubject<Int, Never>()
      subject.flatMap { _ in PassthroughSubject<Int, Never>().map { $0 } }.sink { _ in }.store(in: &kept)
      subject.send(1)
    }
    kept = []
  }

  static func namesASubscriberOfAClientWhoseModuleBeginsWithCombine() async {
    nonisolated(unsafe) var kept: Set<AnyCancellable> = []  // One thread at a time uses it.
    let inner = PassthroughSubject<Int, Never>()
    await Inspection.expectNoLeaks(patience: .zero) {
      let subject = PassthroughSubject<Int, Never>()
      subject.sink { _ in inner.subscribe(ClientSubscriber()) }.store(in: &kept)
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

/// Runs a process in which a check fails, and examines the failure's text, which that process forwards.
///
/// - Parameters:
///   - line: The line that the failure names.
///   - texts: What the failure says.
///   - run: A closure that runs the process.
private func expectLeak(_ line: Int?, _ texts: String..., run: () async -> Void) async {
  let failures = await capturedFailures(run)
  #expect(failures.count == 1)
  let message = failures.first?.message ?? ""
  #if DEBUG
    let place = line.map { "ExpectNoLeaksTests.swift:\($0)" } ?? ""
  #else
    let place = ""  // There is no debug information.
  #endif
  for text in texts + [place] where !text.isEmpty { #expect(message.contains(text)) }
}
