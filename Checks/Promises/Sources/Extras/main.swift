// The same for CombineExtras: `Extras NAME`.
import Combine
import CombineExtras
import Foundation
import Synchronization

func check(_ holds: Bool, _ measured: String) -> Never { print(measured); exit(holds ? 0 : 1) }
func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

final class Sender: @unchecked Sendable { var longest = 0.0, inside = 0.0 }

/// Two threads send for two seconds into a sink that takes 1 ms. Returns the longest send in milliseconds; a send that is
/// still running counts until now.
func longestSend(_ publisher: some Publisher<Int, Never>, _ send: @escaping () -> Void) -> Int {
  nonisolated(unsafe) let send = send
  let cancellable = publisher.sink { _ in usleep(1000) }, end = seconds() + 2, senders = [Sender(), Sender()],
    group = DispatchGroup()
  for sender in senders {
    group.enter()
    Thread.detachNewThread {
      while seconds() < end {
        let start = seconds()
        sender.inside = start; send(); sender.inside = 0
        sender.longest = max(sender.longest, seconds() - start)
        usleep(50)
      }
      group.leave()
    }
  }
  _ = group.wait(timeout: .now() + 5)
  let now = seconds(), longest = senders.map { max($0.longest, $0.inside > 0 ? now - $0.inside : 0) }.max()!
  return withExtendedLifetime(cancellable) { Int(longest * 1000) }
}

let cases: [(name: String, run: () -> Void)] = [
  (
    "async-map-counts-what-is-not-delivered",
    {
      let started = Atomic<Int>(0), delivered = Atomic<Int>(0), ahead = Atomic<Int>(0)
      let cancellable = (0..<200_000).publisher
        .asyncMap(maxConcurrent: 4) { value -> Int in
          ahead.max(
            started.add(1, ordering: .relaxed).newValue - delivered.load(ordering: .relaxed),
            ordering: .relaxed
          )
          return value
        }
        .sink { _ in
          usleep(1000); delivered.add(1, ordering: .relaxed)
        }
      sleep(1)
      let most = ahead.load(ordering: .relaxed)
      withExtendedLifetime(cancellable) {
        check(most <= 5, "at most \(most) ahead of the delivery, for maxConcurrent 4")
      }
    }
  ),
  (
    "a-replaying-send-returns",
    {
      let subject = ReplaySubject<Int, Never>(replaying: 1), longest = longestSend(subject) { subject.send(1) }
      check(longest < 100, "longest send \(longest) ms")
    }
  ),
  (
    "a-created-send-returns",
    {
      nonisolated(unsafe) var target: Publishers.Create<Int, Never>.Subscriber?
      let publisher = Publishers.Create<Int, Never> {
        target = $0; return AnyCancellable {}
      }
      let longest = longestSend(publisher) { target?.send(1) }
      check(longest < 100, "longest send \(longest) ms")
    }
  ),
  (
    "a-closing-connection-is-not-overlapped",
    {
      let living = Atomic<Int>(0), most = Atomic<Int>(0), upstream = PassthroughSubject<Int, Never>()
      let source = upstream.handleEvents(
        receiveSubscription: { _ in most.max(living.add(1, ordering: .relaxed).newValue, ordering: .relaxed) },
        receiveCancel: {
          usleep(100_000); living.subtract(1, ordering: .relaxed)
        }
      )
      func mostAtOnce(_ shared: some Publisher<Int, Never>) -> Int {
        most.store(0, ordering: .relaxed)
        let first = shared.sink { _ in }
        Thread.detachNewThread { first.cancel() }
        usleep(30_000)
        let second = shared.sink { _ in }
        usleep(150_000)
        second.cancel()
        return most.load(ordering: .relaxed)
      }
      let counted = mostAtOnce(source.multicast { PassthroughSubject() }.referenceCounted())
      let replayed = mostAtOnce(source.share(replay: 1, scope: .whileSubscribed))
      check(counted == 1 && replayed == 1, "upstream subscriptions at once: \(counted) and \(replayed)")
    }
  ),
  (
    "keys-are-compared-with-no-lock-held",
    {
      struct Key: Hashable {
        nonisolated(unsafe) static var compare: () -> Void = {}
        let number: Int
        static func == (left: Key, right: Key) -> Bool { compare(); return left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(0) }
      }
      let subject = PassthroughSubject<Int, Never>()
      nonisolated(unsafe) var isNested = false, count = 0
      Key.compare = { if !isNested { isNested = true; subject.send(7); isNested = false } }
      let cancellable = subject.groupBy { Key(number: $0 % 3) }.flatMap { $0 }.sink { _ in count += 1 }
      for value in 1...3 { subject.send(value) }
      withExtendedLifetime(cancellable) { check(count >= 4, "\(count) values") }
    }
  ),
  (
    "the-queue-holds-one-value-of-each-sender",
    {
      // `run` gives it one processor, so that a thread is often stopped between the queue and the gate.
      let subject = ReplaySubject<Int, Never>(replaying: 1), delivered = Atomic<Int>(0), most = Atomic<Int>(0),
        returned = Atomic<Int>(0)
      let cancellable = subject.sink { _ in delivered.add(1, ordering: .relaxed) }, end = seconds() + 3,
        group = DispatchGroup()
      for _ in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          while seconds() < end {
            for _ in 0..<50 {
              subject.send(1)
              most.max(
                returned.add(1, ordering: .relaxed).newValue - delivered.load(ordering: .relaxed),
                ordering: .relaxed
              )
            }
          }
          group.leave()
        }
      }
      _ = group.wait(timeout: .now() + 20)
      let ahead = most.load(ordering: .relaxed)
      withExtendedLifetime(cancellable) {
        check(ahead <= 16, "at most \(ahead) sends had returned before their value was delivered")
      }
    }
  ),
]

let names = CommandLine.arguments.dropFirst()
if names.isEmpty { for item in cases { print(item.name) } }
for name in names { cases.first { $0.name == name }?.run() }
