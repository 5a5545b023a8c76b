import Dispatch
import TestSupport
import Testing

@testable import CombineCore

@MainActor
@Suite struct FutureConcurrencyTests {

  @Test func anExistingValueIsReturned() async throws {
    #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
    #expect(try await Future<Int, TestError> { $0(.success(2)) }.value == 2)
  }

  @Test func anExistingFailureIsThrown() async {
    let future = Future<Int, TestError> { $0(.failure("oops")) }
    for _ in 0..<2 { await #expect(throws: TestError("oops")) { try await future.value } }
  }

  /// Runs the started tasks until they wait.
  private func settle<Output, Failure>(_ future: Future<Output, Failure>, waiters: Int) async {
    func count() -> Int {
      guard let table = future.lock.withLock({ future.waiting }) else { return 0 }
      return table.lock.withLock { table.list.count }
    }
    while count() < waiters { await Task.yield() }
  }

  @Test func manyTasksWaitForOneValue() async {
    var promise: Future<Int, Never>.Promise!
    let future = Future<Int, Never> { promise = $0 }
    let tasks = (0..<10).map { _ in Task { await future.value } }
    await settle(future, waiters: 10)
    promise(.success(3))
    for task in tasks { #expect(await task.value == 3) }
  }

  @Test func manyTasksWaitForOneFailure() async {
    var promise: Future<Int, TestError>.Promise!
    let future = Future<Int, TestError> { promise = $0 }
    let tasks = (0..<10).map { _ in Task { try await future.value } }
    await settle(future, waiters: 10)
    promise(.failure("oops"))
    for task in tasks { await #expect(throws: TestError("oops")) { try await task.value } }
  }

  @Test func cancellingATaskEndsItsWaitIfItCanThrow() async throws {
    var promise: Future<Int, TestError>.Promise!
    let future = Future<Int, TestError> { promise = $0 }
    let other = Task { try await future.value }
    await settle(future, waiters: 1)
    let task = Task { try await future.value }
    await settle(future, waiters: 2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await settle(future, waiters: 1)
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await future.value
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    promise(.success(4))
    #expect(try await other.value == 4)
  }

  @Test func aCancelledTaskReceivesAnExistingResult() async throws {
    let value = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Future<Int, TestError> { $0(.success(1)) }.value
    }
    let failure = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Future<Int, TestError> { $0(.failure("oops")) }.value
    }
    value.cancel()
    failure.cancel()
    #expect(try await value.value == 1)
    await #expect(throws: TestError("oops")) { try await failure.value }
  }

  @Test func cancellingATaskDoesNotEndItsWaitIfItCannotThrow() async {
    var promise: Future<Int, Never>.Promise!
    let future = Future<Int, Never> { promise = $0 }
    let task = Task { await future.value }
    await settle(future, waiters: 1)
    task.cancel()
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return await future.value
    }
    late.cancel()
    await settle(future, waiters: 2)
    promise(.success(4))
    #expect(await task.value == 4)
    #expect(await late.value == 4)
  }

  @Test func aCancelRacingWithThePromiseEndsTheWaitEitherWay() async throws {
    for number in 0..<500 {
      var promise: Future<Int, TestError>.Promise!
      let future = Future<Int, TestError> { promise = $0 }
      nonisolated(unsafe) let keep = promise!  // It is sendable, as the promise of every future is.
      let task = Task { try await future.value }
      await settle(future, waiters: 1)
      DispatchQueue.global().async { keep(.success(number)) }
      task.cancel()
      switch await task.result {
      case .success(let value): #expect(value == number)
      case .failure(let error): #expect(error is CancellationError)
      }
    }
  }

  @Test func thePromiseMayBeFulfilledOnAnotherThread() async {
    for number in 0..<200 {
      let future = Future<Int, Never> { promise in
        DispatchQueue.global().async { promise(.success(number)) }
      }
      async let first = future.value
      async let second = future.value
      #expect(await first + second == 2 * number)
    }
  }

  @Test func waitingKeepsNothingAlive() async {
    let released = Guarded(false)
    final class Token: Sendable {
      let released: Guarded<Bool>
      init(_ released: Guarded<Bool>) { self.released = released }
      deinit { released.withLock { $0 = true } }
    }
    _ = await Future<Token, Never> { $0(.success(Token(released))) }.value
    #expect(released.withLock { $0 })
  }
}
