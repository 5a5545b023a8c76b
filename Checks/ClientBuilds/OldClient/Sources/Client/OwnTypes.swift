import Foundation
import OpenCombineShim

struct NamedError: Error, ExpressibleByStringLiteral, CustomStringConvertible {

  let description: String

  init(stringLiteral description: String) {
    self.description = description
  }
}

/// Calls a closure with each text that is written.
struct Log: TextOutputStream {

  let append: (String) -> Void

  init(_ append: @escaping (String) -> Void) {
    self.append = append
  }

  mutating func write(_ text: String) {
    append(text)
  }
}

final class Counter {

  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.lock()
    defer { lock.unlock() }
    count += 1
    return count
  }
}

/// A publisher that counts down to one.
struct Countdown: Publisher {

  typealias Output = Int
  typealias Failure = Never

  let start: Int

  init(from start: Int) {
    self.start = start
  }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    subscriber.receive(subscription: Countdown.Subscription(start, subscriber))
  }

  private final class Subscription<S: Subscriber>: OpenCombineShim.Subscription
  where S.Input == Int, S.Failure == Never {

    private var next: Int
    private var subscriber: S?

    init(_ start: Int, _ subscriber: S) {
      next = start
      self.subscriber = subscriber
    }

    func request(_ demand: Subscribers.Demand) {
      var demand = demand
      while demand > 0, next > 0, let subscriber {
        demand -= 1
        next -= 1
        demand += subscriber.receive(next + 1)
        if next == 0 {
          self.subscriber = nil
          subscriber.receive(completion: .finished)
        }
      }
    }

    func cancel() {
      subscriber = nil
    }
  }
}

/// A subscriber that requests one element after the other.
final class OneByOne: Subscriber {

  typealias Input = String
  typealias Failure = Never

  private let transcript: Transcript

  init(transcript: Transcript) {
    self.transcript = transcript
  }

  func receive(subscription: Subscription) {
    subscription.request(.max(1))
  }

  func receive(_ input: String) -> Subscribers.Demand {
    transcript.append(input)
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<Never>) {
    transcript.append("\(completion)")
  }
}
