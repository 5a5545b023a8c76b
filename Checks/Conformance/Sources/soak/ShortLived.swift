import CombineCore
import CombineDispatch
import Dispatch

// Pipelines that live briefly. Each is created, receives values, and ends in one of four ways: it finishes, fails, is
// cancelled in the middle, or is released.

private struct Broken: Error {}

extension Workload {

  static let shortLived = [
    Workload(name: "elementwise") { _ in
      let counter = EventCounter()
      let token = Token()
      let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<64)
      let cancellable = Publishers.Map(upstream: source, transform: Token.init)
        .filter { $0.number % 3 != token.number + 1 }
        .scan(0) { $0 &+ $1.number }
        .removeDuplicates()
        .sink { _ in counter.count += 1 }
      cancellable.cancel()
      return counter.count
    },

    Workload(name: "reducing and slicing") { random in
      let counter = EventCounter()
      let token = Token()
      let subject = PassthroughSubject<Token, Broken>()
      let count = Int.random(in: 1...20, using: &random)
      let cancellables = [
        subject.collect(3).sink { _ in
        } receiveValue: {
          counter.count += $0.count
        },
        subject.reduce(0) { $0 + $1.number + token.number }.sink { _ in
          counter.count += 1
        } receiveValue: { _ in
        },
        subject.dropFirst(2).prefix(5).sink { _ in
        } receiveValue: { _ in
          counter.count += 1
        },
        subject.first { $0.number == 4 }.sink { _ in
          counter.count += 1
        } receiveValue: { _ in
        },
        subject.last().sink { _ in
          counter.count += 1
        } receiveValue: { _ in
        },
      ]
      for number in 0..<count { subject.send(Token(number)) }
      switch count % 3 {
      case 0: subject.send(completion: .finished)
      case 1: subject.send(completion: .failure(Broken()))
      default: for cancellable in cancellables { cancellable.cancel() }
      }
      return counter.count
    },

    Workload(name: "flatMap") { random in
      let counter = EventCounter()
      let token = Token()
      let subject = PassthroughSubject<Token, Never>()
      let children = [PassthroughSubject<Token, Never>(), PassthroughSubject<Token, Never>()]
      let limit = Int.random(in: 1...3, using: &random)
      let cancellable =
        subject
        .flatMap(maxPublishers: .max(limit)) { element in
          children[(element.number + token.number) % 2].prefix(3)
        }
        .sink { _ in counter.count += 1 }
      for number in 0..<8 {
        subject.send(Token(number))
        children[number % 2].send(Token(number))
      }
      if Bool.random(using: &random) { cancellable.cancel() }
      return counter.count
    },

    Workload(name: "switchToLatest") { _ in
      let counter = EventCounter()
      let subject = PassthroughSubject<PassthroughSubject<Token, Never>, Never>()
      let cancellable = subject.switchToLatest().sink { _ in counter.count += 1 }
      for number in 0..<8 {
        let child = PassthroughSubject<Token, Never>()
        subject.send(child)
        child.send(Token(number))
        if number % 2 == 0 { child.send(completion: .finished) }
      }
      cancellable.cancel()
      return counter.count
    },

    Workload(name: "merge, zip, combineLatest") { random in
      let counter = EventCounter()
      let left = PassthroughSubject<Token, Broken>()
      let right = CurrentValueSubject<Token, Broken>(Token())
      let cancellables = [
        left.merge(with: right).sink { _ in
          counter.count += 1
        } receiveValue: { _ in
          counter.count += 1
        },
        left.zip(right).sink { _ in
          counter.count += 1
        } receiveValue: { _ in
          counter.count += 1
        },
        left.combineLatest(right).sink { _ in
          counter.count += 1
        } receiveValue: { _ in
          counter.count += 1
        },
      ]
      for number in 0..<8 {
        left.send(Token(number))
        if number % 2 == 0 { right.send(Token(number)) }
      }
      switch Int.random(in: 0..<3, using: &random) {
      case 0: left.send(completion: .failure(Broken()))
      case 1:
        left.send(completion: .finished)
        right.send(completion: .finished)
      default: for cancellable in cancellables { cancellable.cancel() }
      }
      return counter.count
    },

    Workload(name: "catch, retry, append") { _ in
      let counter = EventCounter()
      let token = Token()
      let attempts = EventCounter()
      let flaky = Deferred { () -> Result<Token, Broken>.Publisher in
        attempts.count += 1
        return attempts.count % 3 == token.number ? .init(Token()) : .init(Broken())
      }
      let cancellable =
        flaky.retry(1)
        .catch { _ in flaky.tryCatch { _ in Just(Token()).setFailureType(to: Broken.self) } }
        .replaceError(with: token)
        .append(Token())
        .sink { _ in counter.count += 1 }
      cancellable.cancel()
      return counter.count
    },

    Workload(name: "share and buffer") { random in
      let counter = EventCounter()
      let subject = PassthroughSubject<Token, Never>()
      let shared = subject.buffer(size: 4, prefetch: .keepFull, whenFull: .dropOldest).share()
      var cancellables = (0..<4).map { _ in shared.sink { _ in counter.count += 1 } }
      for number in 0..<16 {
        subject.send(Token(number))
        if number % 4 == 3 { cancellables.remove(at: Int.random(in: cancellables.indices, using: &random)).cancel() }
      }
      return counter.count
    },

    Workload(name: "one by one, dropped in the middle") { _ in
      let counter = EventCounter()
      let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<64)
      let subscriber = Puller(counter)
      Publishers.Map(upstream: source, transform: Token.init)
        .buffer(size: 8, prefetch: .byRequest, whenFull: .dropNewest)
        .subscribe(subscriber)
      for _ in 0..<8 { subscriber.pull() }
      subscriber.drop()
      return counter.count
    },

    Workload(name: "published properties") { _ in
      final class Model: ObservableObject {
        @Published var value = Token()
        @Published var copy = Token()
      }
      let counter = EventCounter()
      let model = Model()
      model.$value.map { $0 }.assign(to: &model.$copy)
      let signals = model.objectWillChange.sink { _ in counter.count += 1 }
      let values = model.$copy.sink { _ in counter.count += 1 }
      for number in 0..<8 { model.value = Token(number) }
      signals.cancel()
      values.cancel()
      return counter.count
    },

    Workload(name: "a future on another thread") { _ in
      let counter = EventCounter()
      let done = DispatchSemaphore(value: 0)
      let future = Future<Token, Never> { promise in
        DispatchQueue.global().async { promise(.success(Token())) }
      }
      let cancellables = (0..<3).map { _ in
        future.sink { _ in
          done.signal()
        } receiveValue: { _ in
        }
      }
      for _ in cancellables { done.wait() }
      counter.count = cancellables.count
      return counter.count
    },

    Workload(name: "queues and timers") { random in
      let counter = EventCounter()
      let queue = DispatchQueue(label: "soak")
      let done = DispatchSemaphore(value: 0)
      let subject = PassthroughSubject<Token, Never>()
      let kind = Int.random(in: 0..<5, using: &random)
      let scheduled: AnyPublisher<Token, Never> =
        switch kind {
        case 0: subject.receive(on: queue).eraseToAnyPublisher()
        case 1: subject.debounce(for: .milliseconds(1), scheduler: queue).eraseToAnyPublisher()
        case 2: subject.throttle(for: .milliseconds(1), scheduler: queue, latest: true).eraseToAnyPublisher()
        case 3: subject.delay(for: .milliseconds(1), scheduler: queue).eraseToAnyPublisher()
        default:
          subject.collect(.byTimeOrCount(queue, .milliseconds(1), 3)).compactMap(\.first).eraseToAnyPublisher()
        }
      let cancellable =
        scheduled
        .timeout(.seconds(60), scheduler: queue)
        .sink { _ in
          done.signal()
        } receiveValue: { _ in
          counter.count += 1
        }
      for number in 0..<8 { subject.send(Token(number)) }
      if Bool.random(using: &random) {
        subject.send(completion: .finished)
        done.wait()
      } else {
        cancellable.cancel()
      }
      // This call returns after all pending actions of the queue.
      queue.sync {}
      return 8
    },

    Workload(name: "async values") { random in
      let done = DispatchSemaphore(value: 0)
      let counter = EventCounter()
      let limit = Int.random(in: 1...20, using: &random)
      let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<10)
      let tokens = Publishers.Map(upstream: source, transform: Token.init).eraseToAnyPublisher()
      // A publisher of values is not marked as Sendable. Only the task uses this one.
      nonisolated(unsafe) let values = tokens.values
      Task {
        for await _ in values {
          counter.count += 1
          if counter.count == limit { break }
        }
        done.signal()
      }
      done.wait()
      return counter.count
    },
  ]
}

/// A subscriber that requests one element at a time, when told.
private final class Puller: Subscriber {

  typealias Input = Token
  typealias Failure = Never

  private var subscription: (any Subscription)?
  private let counter: EventCounter

  init(_ counter: EventCounter) {
    self.counter = counter
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
  }

  func receive(_ input: Token) -> Subscribers.Demand {
    counter.count += 1
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    subscription = nil
  }

  func pull() {
    subscription?.request(.max(1))
  }

  /// Releases its subscription without a cancel.
  func drop() {
    subscription = nil
  }
}
