import Combine

// Pipelines that are created where they are subscribed to, in each way that a client has. Swift 6.3's optimizer traps
// if a function creates a chain of several publishers and all of subscribing is inlined into it too. This program shows
// that the library keeps the two apart. It also checks the output.

@inline(__always)
func ofElements(_ count: Int) -> some Publisher<Int, Never> {
  CurrentValueSubject<Int, Never>(count)
    .handleEvents(receiveOutput: { _ in })
    .removeDuplicates()
    .map { $0 &+ 6 }
    .zip([5, 2, 3].publisher)
    .map { $0 &+ $1 }
    .tryMap { $0 }
    .replaceError(with: 8)
}

@inline(__always)
func ofPublishers(_ count: Int) -> some Publisher<Int, Never> {
  CurrentValueSubject<Int, Never>(count)
    .combineLatest(Just(2))
    .map { $0 &+ $1 }
    .filter { $0 & 1 == 1 }
    .flatMap { (0..<$0).publisher }
}

func onSchedulers(_ subject: PassthroughSubject<Int, Never>, _ log: Log) -> AnyCancellable {
  subject
    .dropFirst(2)
    .filter { $0 & 4 == 4 }
    .compactMap { $0 == 4 ? nil : $0 }
    .receive(on: ImmediateScheduler.shared)
    .subscribe(on: ImmediateScheduler.shared)
    .map { Just($0) }
    .switchToLatest()
    .combineLatest(Just(1))
    .map { $0 &+ $1 }
    .scan(9) { $0 &+ $1 }
    .scan(7) { $0 &+ $1 }
    .sink { log.entries.append($0) }
}

struct Elementwise: Publisher {

  typealias Output = Int
  typealias Failure = Never

  let count: Int

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    ofElements(count).receive(subscriber: subscriber)
  }
}

struct Mixed: Publisher {

  typealias Output = Int
  typealias Failure = Never

  let count: Int

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    ofPublishers(count).subscribe(subscriber)
  }
}

final class Log {
  var entries: [Int] = []
  var last = 0 { didSet { entries.append(last) } }
}

/// A client's own subscriber, which requests one value after the other.
struct OneByOne: Subscriber {

  let log: Log
  let combineIdentifier = CombineIdentifier()

  func receive(subscription: any Subscription) { subscription.request(.max(1)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    log.entries.append(input)
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

/// Logs the values that a subject receives from an upstream during `subscribe`.
func logged(by log: Log, _ subscribe: (PassthroughSubject<Int, Never>) -> AnyCancellable) {
  let subject = PassthroughSubject<Int, Never>()
  let cancellable = subject.sink { log.entries.append($0) }
  subscribe(subject).cancel()
  cancellable.cancel()
}

let (elements, publishers) = ([18], Array(0..<9))

let waysToSubscribe: [(name: String, expected: [Int], run: (Int, Log) -> Void)] = [
  (
    "sink, on schedulers", [22, 44, 74],
    { count, log in
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = onSchedulers(subject, log)
      for number in 1...count { subject.send(number) }
      cancellable.cancel()
    }
  ),
  ("sink, of elements", elements, { count, log in _ = ofElements(count).sink { log.entries.append($0) } }),
  ("sink, of publishers", publishers, { count, log in _ = ofPublishers(count).sink { log.entries.append($0) } }),
  ("assign, of elements", elements, { count, log in _ = ofElements(count).assign(to: \.last, on: log) }),
  ("assign, of publishers", publishers, { count, log in _ = ofPublishers(count).assign(to: \.last, on: log) }),
  ("a subscriber, of elements", elements, { count, log in ofElements(count).subscribe(OneByOne(log: log)) }),
  ("a subscriber, of publishers", publishers, { count, log in ofPublishers(count).subscribe(OneByOne(log: log)) }),
  ("a subject, of elements", elements, { count, log in logged(by: log) { ofElements(count).subscribe($0) } }),
  ("a subject, of publishers", publishers, { count, log in logged(by: log) { ofPublishers(count).subscribe($0) } }),
  (
    "a publisher of one's own, of elements", elements,
    { count, log in _ = Elementwise(count: count).sink { log.last = $0 } }
  ),
  (
    "a publisher of one's own, of publishers", publishers,
    { count, log in _ = Mixed(count: count).sink { log.last = $0 } }
  ),
]

for (name, expected, run) in waysToSubscribe {
  let log = Log()
  run(7, log)
  guard log.entries == expected else { fatalError("\(name): \(log.entries)") }
}
print("\(waysToSubscribe.count) ways to subscribe")
