import CombineExtras
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SinkAsyncTests {

  private let doors = AsyncDoors()

  @Test func requestsTheNextElementWhenTheClosureHasReturned() async {
    let upstream = ManualPublisher<Int, Never>()
    let requests = AsyncLog<Subscribers.Demand>()
    upstream.subscription?.onRequest = { requests.append($0) }
    let cancellable = upstream.sink { [doors] value in await doors.pass(value) }
    #expect(requests.values == [.max(1)])
    upstream.send(1)
    await doors.log.first(1)
    #expect(requests.values == [.max(1)])
    doors.open(1)
    #expect(await requests.first(2) == [.max(1), .max(1)])
    cancellable.cancel()
  }

  @Test func theCompletionIsHandledAfterTheLastElement() async {
    let log = AsyncLog<String>()
    let cancellable = [1, 2].publisher.setFailureType(to: TestError.self)
      .sink { completion in
        await Task.yield()
        log.append("\(completion)")
      } receiveValue: { value in
        await Task.yield()
        log.append("\(value)")
      }
    #expect(await log.first(3) == ["1", "2", "finished"])
    cancellable.cancel()
  }

  @Test func aFailureIsHandledAfterTheRunningClosure() async {
    let log = AsyncLog<String>()
    let subject = PassthroughSubject<Int, TestError>()
    let cancellable = subject.sink { completion in
      log.append("\(completion)")
    } receiveValue: { [doors] value in
      await doors.pass(value)
      log.append("\(value)")
    }
    subject.send(1)
    await doors.log.first(1)
    subject.send(completion: .failure("wrong"))
    #expect(log.values == [])
    doors.open(1)
    #expect(await log.first(2) == ["1", "failure(wrong)"])
    cancellable.cancel()
  }

  @Test func aCancelCancelsTheRunningClosure() async {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { [doors] value in await doors.pass(value) }
    subject.send(1)
    await doors.log.first(1)
    cancellable.cancel()
    #expect(await doors.log.first(2).last == "cancelled 1")
    subject.send(2)
    #expect(doors.log.values.count == 2)
  }

  @Test func neitherClosureIsCalledAfterACancel() async {
    let log = AsyncLog<String>()
    let subject = PassthroughSubject<Int, TestError>()
    let cancellable = subject.sink { completion in
      log.append("\(completion)")
    } receiveValue: { [doors] value in
      await doors.pass(value)
    }
    subject.send(1)
    await doors.log.first(1)
    subject.send(completion: .failure("wrong"))
    cancellable.cancel()
    #expect(await doors.log.first(2).last == "cancelled 1")
    for _ in 1...100 { await Task.yield() }
    #expect(log.values == [])
  }

  @Test func aClosureThatIsNotAsynchronousIsCombinesOwnSink() {
    var values: [Int] = []
    var completions = 0
    let cancellable = [1, 2].publisher.sink { values.append($0) }
    let other = [3].publisher.sink(receiveCompletion: { _ in completions += 1 }, receiveValue: { values.append($0) })
    // The values are there at once. The closures change variables of this function, which a task could not.
    #expect(values == [1, 2, 3])
    #expect(completions == 1)
    withExtendedLifetime((cancellable, other)) {}
  }

  @Test func aClosureThatIsNotAsynchronousIsCombinesOwnSinkInAsynchronousCodeToo() async {
    let log = AsyncLog<Int>()
    let cancellable = [1, 2].publisher.sink { log.append($0) }
    #expect(log.values == [1, 2])
    cancellable.cancel()
  }
}
