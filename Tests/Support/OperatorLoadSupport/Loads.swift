import Combine
import Dispatch
import Foundation
import Synchronization
import TestSupport

/// The time that the subscriber of a load takes for each value, in microseconds.
public enum Slowness: UInt32, CaseIterable, Sendable {
  case none = 0
  case tenth = 100
  case millisecond = 1000

  func pass() {
    if rawValue > 0 { usleep(rawValue) }
  }
}

extension OperatorLoad {

  /// An object that a subscription keeps alive. It is counted, so that leaks show.
  private final class Token: @unchecked Sendable {
    static let alive = Atomic<Int>(0)

    // Sendable: it never changes.
    let bytes = [UInt8](repeating: 1, count: 1000)

    init() { Self.alive.wrappingAdd(1, ordering: .relaxed) }
    deinit { Self.alive.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// Runs the load "come and go under a stream": one thread sends, a subscriber stays, and two threads subscribe and
  /// cancel in turn.
  ///
  /// - Parameters:
  ///   - subscriptions: The number of subscriptions that each of the two threads makes.
  ///   - slowness: The time that the staying subscriber takes for each value.
  /// - Returns: The problems.
  public func comeAndGo(subscriptions: Int, slowness: Slowness = .none) -> [String] {
    let faults = Guarded<[String]>([])
    let before = Token.alive.load(ordering: .relaxed)
    let sent = Atomic<Int>(0)
    do {
      let subject = LoadedSubject.passthrough(PassthroughSubject<Int, Never>())
      let operated = apply(subject)
      // Only the subscriber uses it, which one thread calls at a time.
      nonisolated(unsafe) var received = 0
      nonisolated(unsafe) var last = -1
      let staying = operated.sink { value in
        if passesAll {
          received += 1
          if value <= last { faults.withLock { $0.append("\(value) after \(last)") } }
          last = value
        }
        slowness.pass()
      }
      let isOver = Atomic<Int>(0)
      // It is shared as the subject is. Its operators have no mutable state.
      nonisolated(unsafe) let publisher = operated
      let peak = Atomic<Int>(0)
      onThreads(3) { thread in
        if thread == 0 {
          while isOver.load(ordering: .relaxed) < 2 {
            let number = sent.wrappingAdd(1, ordering: .relaxed).oldValue
            subject.send(number)
            // What a queue or a task has not done yet is no leak. They get the time to keep up.
            if number % 32 == 31 {
              if startsTasks { Self.drainTasks() }
              Self.drain()
            }
          }
        } else {
          for _ in 0..<subscriptions {
            let token = Token()
            let sink = publisher.sink { _ in withExtendedLifetime(token) {} }
            if subscribesLater { Self.drain() }
            sink.cancel()
            if startsTasks { Self.drainTasks() }
            let alive = Token.alive.load(ordering: .relaxed) - before
            if alive > peak.load(ordering: .relaxed) { peak.store(alive, ordering: .relaxed) }
          }
          isOver.wrappingAdd(1, ordering: .relaxed)
        }
      }
      Self.drain()
      if passesAll, received != sent.load(ordering: .relaxed) {
        faults.withLock {
          $0.append("the subscriber that stayed has received \(received) of \(sent.load(ordering: .relaxed))")
        }
      }
      let most = peak.load(ordering: .relaxed)
      if most > max(2500, subscriptions / 4) {
        faults.withLock { $0.append("\(most) subscriptions were alive at once") }
      }
      staying.cancel()
    }
    faults.withLock { $0 += Self.leaks(before) }
    return faults.withLock { $0 }
  }

  /// Runs the load "subscribe against send": one thread subscribes to the operator behind a current value and cancels,
  /// and another sends.
  ///
  /// - Returns: The problems. A deadlock does not return.
  public func subscribeAgainstSend(rounds: Int) -> [String] {
    let before = Token.alive.load(ordering: .relaxed)
    do {
      let current = Guarded(CurrentValueSubject<Int, Never>(0))
      let (entered, left) = (Turnstile(2), Turnstile(2))
      onThreads(2) { thread in
        for round in 0..<rounds {
          if thread == 0 { current.withLock { $0 = CurrentValueSubject<Int, Never>(0) } }
          entered.pass()
          let subject = current.withLock { $0 }
          if thread == 0 {
            let token = Token()
            let sink = apply(.current(subject)).sink { _ in withExtendedLifetime(token) {} }
            if round % 2 == 0 { sched_yield() }
            if subscribesLater { Self.drain() }
            sink.cancel()
            if startsTasks { Self.drainTasks() }
          } else {
            for value in 1...20 { subject.send(value) }
          }
          left.pass()
        }
      }
    }
    return Self.leaks(before)
  }

  private static func leaks(_ before: Int) -> [String] {
    // Actions scheduled for a moment later are released then.
    for _ in 0..<200 {
      drain()
      if Token.alive.load(ordering: .relaxed) <= before { return [] }
      usleep(10_000)
    }
    return ["\(Token.alive.load(ordering: .relaxed) - before) subscriptions were never released"]
  }
}

/// Lets threads continue when all have arrived.
private final class Turnstile: Sendable {

  private let count: Int
  private let arrived = Atomic<Int>(0)

  init(_ count: Int) {
    self.count = count
  }

  func pass() {
    let turn = arrived.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue / count
    while arrived.load(ordering: .acquiring) < (turn + 1) * count { sched_yield() }
  }
}
