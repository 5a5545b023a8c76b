// Code as it is written for Apple's Combine, with these two imports only.
import Combine
import Foundation

/// Every operator so far, in chains as in an app.
extension DropIn {

  private struct User: Codable, Equatable {
    var name: String
  }

  /// The values and the completion of a publisher that completes before the call returns.
  private static func log<P: Publisher>(_ publisher: P) -> [String] {
    var log: [String] = []
    let cancellable = publisher.sink(
      receiveCompletion: { log.append("\($0)") },
      receiveValue: { log.append("\($0)") }
    )
    cancellable.cancel()
    return log
  }

  static func elementwise() -> [String] {
    // Not the publisher of the array, which has its own operators.
    let numbers = Record<String, Never>(output: ["1", "2", "2", "x", "3"], completion: .finished)
    let parsed =
      numbers
      .compactMap { Int($0) }
      .removeDuplicates()
      .filter { $0 > 0 }
      .map { $0 * 10 }
    let summed =
      parsed
      .scan(0, +)
      .tryMap { sum -> Int in
        if sum > 50 { throw Refused() }
        return sum
      }
      .mapError { _ in URLError(.cancelled) }
    return log(summed.replaceError(with: -1)) + log(parsed.setFailureType(to: URLError.self))
  }

  static func evaluatedAtOnce() -> [String] {
    let numbers = ["1", "2", "2", "x", "3"].publisher.compactMap { Int($0) }.removeDuplicates()
    let last = numbers.map { $0 * 10 }.append(40, 50).last(where: { $0 < 50 })
    let parsed = Just("7").tryMap { text -> Int in
      guard let number = Int(text) else { throw Refused() }
      return number
    }
    let sum = parsed.replaceError(with: 0).reduce(1, +)
    return log(numbers.count()) + log(last) + log(sum)
  }

  static func mixing() -> [String] {
    let letters = PassthroughSubject<String, Never>()
    let numbers = CurrentValueSubject<Int, Never>(0)
    var log: [String] = []
    var subscriptions = Set<AnyCancellable>()
    letters.merge(with: numbers.map { "\($0)" }).sink { log.append("merge \($0)") }.store(in: &subscriptions)
    letters.combineLatest(numbers).sink { log.append("latest \($0)\($1)") }.store(in: &subscriptions)
    letters.zip(numbers) { $0 + "\($1)" }.sink { log.append("zip \($0)") }.store(in: &subscriptions)
    letters
      .flatMap(maxPublishers: .max(1)) { [$0, $0].publisher }
      .sink { log.append("flat \($0)") }
      .store(in: &subscriptions)
    letters.map { Just($0 + "!") }.switchToLatest().sink { log.append("switch \($0)") }.store(in: &subscriptions)
    letters.send("a")
    numbers.send(1)
    return log.sorted()
  }

  static func errorHandling() -> [String] {
    var attempts = 0
    let flaky = Deferred {
      Future<Int, URLError> { promise in
        attempts += 1
        promise(attempts < 3 ? .failure(URLError(.timedOut)) : .success(attempts))
      }
    }
    let failing = Fail<Int, URLError>(error: URLError(.badURL))
    return log(flaky.retry(2))
      + log(failing.catch { _ in Just(7) })
      + log(failing.tryCatch { error -> Just<Int> in throw error }.replaceError(with: 8))
      + log(Empty<Int, Never>().assertNoFailure())
      + log(Record<Int, URLError>(output: [9], completion: .finished))
      + log(Result<Int, URLError>.success(10).publisher)
      + log(Optional(11).publisher)
  }

  static func codingAndDebugging() -> [String] {
    var events: [String] = []
    let coded = Just(User(name: "Ada"))
      .encode(encoder: JSONEncoder())
      .decode(type: User.self, decoder: JSONDecoder())
      .map(\.name)
      .handleEvents(
        receiveOutput: { events.append("saw \($0)") },
        receiveCompletion: { _ in events.append("saw the end") }
      )
      .print("user", to: Discarding())
    return log(coded) + events
  }

  private struct Discarding: TextOutputStream {
    func write(_ string: String) {}
  }

  static func timingAndSharing() -> [String] {
    let mailbox = Mailbox<String>()
    let queue = DispatchQueue(label: "DropIn.timing")
    let subject = PassthroughSubject<Int, Never>()
    let shared =
      subject
      .subscribe(on: queue)
      .receive(on: queue)
      .share()
    var subscriptions = Set<AnyCancellable>()
    shared
      .debounce(for: .milliseconds(5), scheduler: queue)
      .sink { mailbox.put("debounced \($0)") }
      .store(in: &subscriptions)
    shared
      .throttle(for: .milliseconds(5), scheduler: queue, latest: true)
      .sink { mailbox.put("throttled \($0)") }
      .store(in: &subscriptions)
    shared
      .delay(for: .milliseconds(1), scheduler: queue)
      .eraseToAnyPublisher()
      .sink { mailbox.put("delayed \($0)") }
      .store(in: &subscriptions)
    let multicast = subject.multicast { PassthroughSubject<Int, Never>() }
    multicast.sink { mailbox.put("multicast \($0)") }.store(in: &subscriptions)
    multicast.connect().store(in: &subscriptions)
    subject.makeConnectable().autoconnect().sink { mailbox.put("connected \($0)") }.store(in: &subscriptions)
    queue.sync {}  // `subscribe(on:)` has subscribed by now.
    queue.sync {}  // It has forwarded the requests by now.
    subject.send(1)
    return mailbox.take(5).sorted()
  }
}
