import Combine
import Dispatch
import TestSupport

/// A subject whose subscriber sends to it again, a number of times.
///
/// The contract nests these calls, in Combine as here. So the stack grows with each, unless a scheduler is in between.
///
/// A round takes 420 to 1030 bytes in a release build and 2750 to 4470 in a debug build. That includes the subscriber's
/// closure.
struct Feedback: Sendable, CustomStringConvertible {

  /// The number of rounds. A sanitizer has no room for more, and a debug build is slow.
  static let rounds = StackMeter.isSanitized ? 1000 : _isDebugAssertConfiguration() ? 20_000 : 100_000

  let name: String

  var description: String { name }

  /// Whether each round is nested in the previous one.
  let isNested: Bool

  /// The stack available to it: more than a main thread has, or less than any other has.
  var limit: Int { isNested ? (_isDebugAssertConfiguration() ? 90 : 110) << 20 : Loop.limit }

  /// - Returns: The number of values that arrived after the first.
  private let run: @Sendable (_ rounds: Int) -> Int

  private init(_ name: String, isNested: Bool, run: @escaping @Sendable (Int) -> Int) {
    self.name = name
    self.isNested = isNested
    self.run = run
  }

  /// Runs all rounds.
  ///
  /// - Returns: The number of stack bytes that they took.
  func measure() -> Int {
    StackMeter.measure { precondition(run(Feedback.rounds) == Feedback.rounds, name) }
  }

  private final class Model {
    @Published var number = 0
  }

  static let all = [
    Feedback("PassthroughSubject", isNested: true) { rounds in
      let subject = PassthroughSubject<Int, Never>()
      return rounds - feed(subject, rounds, into: subject.send)
    },
    Feedback("CurrentValueSubject", isNested: true) { rounds in
      let subject = CurrentValueSubject<Int, Never>(rounds)
      return rounds - feed(subject, into: subject.send)
    },
    Feedback("@Published", isNested: true) { rounds in
      let model = Model()
      model.number = rounds
      return rounds - feed(model.$number) { model.number = $0 }
    },
    Feedback("PassthroughSubject, virtual scheduler", isNested: false) { rounds in
      let subject = PassthroughSubject<Int, Never>()
      let scheduler = VirtualScheduler()
      var least = rounds
      let cancellable = subject.receive(on: scheduler).sink {
        least = $0
        if $0 > 0 { subject.send($0 - 1) }
      }
      subject.send(rounds)
      scheduler.advance(by: 1)
      cancellable.cancel()
      return rounds - least
    },
    Feedback("CurrentValueSubject, virtual scheduler", isNested: false) { rounds in
      let subject = CurrentValueSubject<Int, Never>(rounds)
      let scheduler = VirtualScheduler()
      var least = rounds
      let cancellable = subject.receive(on: scheduler).sink {
        least = $0
        if $0 > 0 { subject.send($0 - 1) }
      }
      scheduler.advance(by: 1)
      cancellable.cancel()
      return rounds - least
    },
    Feedback("PassthroughSubject, dispatch queue", isNested: false) { rounds in
      let subject = PassthroughSubject<Int, Never>()
      let isDone = DispatchSemaphore(value: 0)
      let cancellable = subject.receive(on: DispatchQueue(label: "feedback")).sink {
        if $0 > 0 { subject.send($0 - 1) } else { isDone.signal() }
      }
      subject.send(rounds)
      isDone.wait()
      cancellable.cancel()
      return rounds
    },
  ]

  /// Counts down through a publisher.
  ///
  /// - Returns: The last number.
  private static func feed<P: Publisher<Int, Never>>(_ publisher: P, _ first: Int? = nil, into send: (Int) -> Void)
    -> Int
  {
    var least = Int.max
    withoutActuallyEscaping(send) { send in
      let cancellable = publisher.sink {
        least = min(least, $0)
        if $0 > 0 { send($0 - 1) }
      }
      if let first { send(first) }
      cancellable.cancel()
    }
    return least
  }
}
