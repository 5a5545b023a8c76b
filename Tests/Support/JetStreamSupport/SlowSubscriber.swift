#if JetStream
  package import CombineJetStream
  import Foundation
  import TestSupport

  /// A subscriber that asks for some messages at a time, and takes its time for each.
  package final class SlowSubscriber: Subscriber {

    private struct State {
      var subscription: (any Subscription)?
      var numbers: [Int] = []
      var completion: Subscribers.Completion<JetStreamError>?
      var left = 0
      var isHeld = false
    }

    private let state = Guarded(State())
    private let demand: Int
    private let pause: Double

    /// - Parameters:
    ///   - demand: The number of messages that are asked for at a time, again when all have come. 0 asks for none, and
    ///     `Int.max` for all.
    ///   - pause: The seconds that a message takes.
    package init(demand: Int, pause: Double) {
      self.demand = demand
      self.pause = pause
    }

    package var numbers: [Int] { state.withLock { $0.numbers } }
    package var count: Int { state.withLock { $0.numbers.count } }
    package var completion: Subscribers.Completion<JetStreamError>? { state.withLock { $0.completion } }

    package func request(_ demand: Subscribers.Demand) {
      state.withLock { $0.subscription }?.request(demand)
    }

    /// Keeps the next message until ``release()``, so that a test can look at the server meanwhile.
    package func hold() {
      state.withLock { $0.isHeld = true }
    }

    package func release() {
      state.withLock { $0.isHeld = false }
    }

    package func cancel() {
      state.withLock { $0.subscription }?.cancel()
    }

    package func receive(subscription: any Subscription) {
      state.withLock {
        $0.subscription = subscription
        $0.left = demand
      }
      if demand > 0 { subscription.request(demand == .max ? .unlimited : .max(demand)) }
    }

    package func receive(_ input: JetStreamMessage) -> Subscribers.Demand {
      repeat {
        if pause > 0 { Thread.sleep(forTimeInterval: pause) }
      } while state.withLock { $0.isHeld }
      return state.withLock {
        $0.numbers.append(input.number)
        guard demand > 0, demand < .max else { return .none }
        $0.left -= 1
        guard $0.left == 0 else { return .none }
        $0.left = demand
        return .max(demand)
      }
    }

    package func receive(completion: Subscribers.Completion<JetStreamError>) {
      state.withLock { $0.completion = completion }
    }
  }

  /// Waits until a condition holds that asks a server.
  package func eventually(seconds: Double = 20, _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
      guard ContinuousClock.now < end else { throw Failure(text: "waited in vain") }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
#endif
