import Combine
import Foundation
import Testing

/// Code as it is written in the Swift 6 language mode, against the library's public interface.
@Suite struct StrictConcurrencyTests {

  /// An actor that collects values.
  private actor Log {

    private(set) var values: [Int] = []

    func append(_ value: Int) {
      values.append(value)
    }

    /// Collects all values of a publisher from another actor.
    func collect(from publisher: some Publisher<Int, Never> & Sendable) async -> [Int] {
      for await value in publisher.values { values.append(value) }
      return values
    }
  }

  /// A value that must not leave its actor.
  private final class Box {

    var number: Int

    init(_ number: Int) {
      self.number = number
    }
  }

  // MARK: Futures

  @Test func aPromiseMayBeFulfilledOnAnotherQueue() async {
    let queue = DispatchQueue(label: "worker")
    let future = Future<Int, Never> { promise in
      queue.async { promise(.success(1)) }
    }
    #expect(await future.value == 1)
  }

  @Test func aPromiseMayBeFulfilledInATask() async throws {
    let future = Future<Int, any Error> { promise in
      Task {
        await Task.yield()
        promise(.success(2))
      }
    }
    #expect(try await future.value == 2)
  }

  /// A function that takes the future's own `Promise` type, as code for Combine does.
  private static func keep(_ promise: @escaping Future<Int, URLError>.Promise) {
    promise(.failure(URLError(.timedOut)))
  }

  @Test func aPromiseHasTheTypeItHasInCombine() async throws {
    var kept: Future<Int, URLError>.Promise?
    let later = Future<Int, URLError> { kept = $0 }
    kept?(.success(3))
    #expect(try await later.value == 3)

    let attempt: (@escaping Future<Int, URLError>.Promise) -> Void = Self.keep
    await #expect(throws: URLError(.timedOut)) { try await Future(attempt).value }
    await #expect(throws: URLError(.timedOut)) { try await Future(Self.keep).value }
    let explicit = Future { (promise: @escaping (Result<Int, URLError>) -> Void) in promise(.success(4)) }
    #expect(try await explicit.value == 4)
  }

  @Test func manyTasksShareAFuture() async {
    let future = Future<Int, Never> { promise in
      DispatchQueue.global().async { promise(.success(5)) }
    }
    let sum = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { await future.value } }
      return await group.reduce(0, +)
    }
    #expect(sum == 100)
  }

  // MARK: Subjects and cancellables

  @Test func queuesAndTasksMayUseASubject() async {
    let subject = PassthroughSubject<Int, Never>()
    let total = CurrentValueSubject<Int, Never>(0)
    let cancellable = subject.sink { total.value += $0 }
    await withTaskGroup(of: Void.self) { group in
      for number in 1...10 { group.addTask { subject.send(number) } }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        subject.send(45)
        continuation.resume()
      }
    }
    #expect(total.value == 100)
    cancellable.cancel()
  }

  @Test func aCancellableMayBeCancelledInAnotherTask() async {
    let subject = PassthroughSubject<Int, Never>()
    let seen = CurrentValueSubject<[Int], Never>([])
    let cancellable = subject.sink { seen.value.append($0) }
    subject.send(1)
    await Task.detached { cancellable.cancel() }.value
    subject.send(2)
    #expect(seen.value == [1])
  }

  // MARK: Publishers

  @Test func publishersMayMoveBetweenActors() async {
    let numbers = [1, 2].publisher.setFailureType(to: Never.self)
    #expect(await Log().collect(from: numbers) == [1, 2])
    #expect(await Log().collect(from: Publishers.Merge(Just(3), Just(4))) == [3, 4])
    let delayed = Just(5).receive(on: DispatchQueue(label: "delivery"))
    #expect(await Log().collect(from: delayed) == [5])
    #expect(await Log().collect(from: Future<Int, Never> { $0(.success(6)) }) == [6])
  }

  @Test func aSequenceMayBeIteratedInADetachedTask() async throws {
    let sequence = Just(7).setFailureType(to: URLError.self).values
    let values = try await Task.detached {
      var values: [Int] = []
      for try await value in sequence { values.append(value) }
      return values
    }.value
    #expect(values == [7])
  }

  private func total(of prices: some Publisher<Int, Never>) async -> Int {
    var sum = 0
    for await price in prices.values { sum += price }
    return sum
  }

  private func checkedTotal(of prices: some Publisher<Int, any Error>) async throws -> Int {
    var sum = 0
    for try await price in prices.values { sum += price }
    return sum
  }

  @Test func aLoopMayIterateOverAnyPublisher() async throws {
    #expect(await total(of: [1, 2, 3].publisher.map { $0 * 2 }) == 12)
    #expect(try await checkedTotal(of: [1, 2, 3].publisher.tryMap { $0 * 3 }.eraseToAnyPublisher()) == 18)
  }

  @MainActor @Test func valuesThatAreNotSendableStayOnTheActor() async {
    let subject = CurrentValueSubject<Box, Never>(Box(1))
    var seen: [Box] = []
    for await box in subject.values {
      MainActor.assertIsolated()
      box.number += 1
      seen.append(box)
      if seen.count == 3 { break }
      subject.send(Box(seen.count * 10))
    }
    #expect(seen.map(\.number) == [2, 11, 21])

    var iterator = [Box(5)].publisher.map { $0 }.values.makeAsyncIterator()
    let box = await iterator.next()
    #expect(box?.number == 5)
    #expect(await iterator.next() == nil)
  }

  /// A model as in an app.
  @MainActor private final class Model: ObservableObject {

    @Published var count = 0
    var log: [Int] = []
    private var subscriptions = Set<AnyCancellable>()

    func start() {
      $count.sink { [weak self] in self?.log.append($0) }.store(in: &subscriptions)
    }
  }

  @MainActor private final class Counter {

    var count = 0

    /// Subscribes with closures that the compiler isolates to the main actor, and that it does not stop from being called
    /// elsewhere.
    func follow(_ publisher: some Publisher<Int, Never>) -> AnyCancellable {
      publisher.filter { _ in self.count >= 0 }.sink { self.count += $0 }
    }
  }

  @Test func aClosureOfTheMainActorThatIsCalledElsewhereStopsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let subject = PassthroughSubject<Int, Never>()
      let cancellable = await Counter().follow(subject)
      let sent = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        subject.send(1)
        sent.signal()
      }
      sent.wait()
      cancellable.cancel()
    }
  }

  @MainActor @Test func aModelOnTheMainActorObservesItself() async {
    let model = Model()
    model.start()
    model.count = 1
    #expect(model.log == [0, 1])
    let changes = model.$count
    #expect(await Task.detached { await changes.values.first { _ in true } }.value == 1)
  }

  @Test func anAsyncSequenceOfASubjectFollowsAnActor() async {
    let log = Log()
    let subject = CurrentValueSubject<Int, Never>(1)
    for await value in subject.values {
      await log.append(value)
      if value == 3 { subject.send(completion: .finished) } else { subject.send(value + 1) }
    }
    #expect(await log.values == [1, 2, 3])
  }
}
