import CombineTesting
import Dispatch
import TestSupport
import Testing

@Suite struct RecorderTests {

  private let subject = PassthroughSubject<String, TestError>()

  /// Signals an event to a waiting test.
  private struct Bell: Sendable {
    private let stream = AsyncStream.makeStream(of: Void.self)
    func ring() { stream.continuation.yield() }
    func wait() async { for await _ in stream.stream { return } }
  }

  @Test func takesExistingValues() async throws {
    let recorder = subject.record()
    subject.send("a")
    subject.send("b")
    subject.send("c")
    #expect(try await recorder.next() == "a")
    #expect(try await recorder.next(2) == ["b", "c"])
    #expect(try await recorder.next(0) == [])
    #expect(try await recorder.next(-1) == [])
  }

  @Test(arguments: [.zero, .nanoseconds(1), .seconds(-1)] as [Duration])
  func existingValuesAreReturnedForAnyTimeout(_ timeout: Duration) async throws {
    for _ in 0..<200 {
      let recorder = Just(5).record()
      #expect(try await recorder.next(0, timeout: timeout) == [])
      #expect(try await recorder.next(timeout: timeout) == 5)
      try await recorder.finished(timeout: timeout)
      #expect(try await recorder.elements(timeout: timeout) == [5])
      #expect(try await recorder.next(0, timeout: timeout) == [])
    }
  }

  @Test func waitsForValues() async throws {
    let recorder = subject.record(timeout: .seconds(60))
    async let values = recorder.next(2)
    DispatchQueue.global().async { [subject] in
      subject.send("a")
      subject.send("b")
    }
    #expect(try await values == ["a", "b"])
  }

  @Test func waitsForTheCompletion() async throws {
    let recorder = subject.record(timeout: .seconds(60))
    subject.send("a")
    #expect(try await recorder.next() == "a")
    async let elements = recorder.elements
    async let completion = recorder.completion
    async let finished: Void = recorder.finished
    DispatchQueue.global().async { [subject] in
      subject.send("b")
      subject.send(completion: .finished)
    }
    #expect(try await elements == ["a", "b"])
    #expect(try await completion == .finished)
    try await finished
  }

  @Test func throwsTheErrorOfThePublisher() async throws {
    let recorder = subject.record()
    subject.send("a")
    subject.send(completion: .failure("no luck"))
    #expect(try await recorder.next() == "a")
    #expect(try await recorder.completion == .failure("no luck"))
    await #expect(throws: TestError("no luck")) { try await recorder.next() }
    await #expect(throws: TestError("no luck")) { try await recorder.elements }
    await #expect(throws: TestError("no luck")) { try await recorder.finished }
  }

  @Test func reportsTheReceivedEventsWhenItTimesOut() async throws {
    let recorder = subject.record()
    let timeout = Duration.milliseconds(10)
    func message(_ body: () async throws -> Void) async -> String {
      do {
        try await body()
        return "nothing was thrown"
      } catch {
        return "\(error)"
      }
    }
    var text = await message { _ = try await recorder.next(timeout: timeout) }
    #expect(text == "time was up after 0.01 seconds, waiting for a value; no value had arrived")
    subject.send("a")
    text = await message { _ = try await recorder.next(2, timeout: timeout) }
    #expect(text == #"time was up after 0.01 seconds, waiting for 2 values; had arrived: ["a"]"#)
    text = await message { _ = try await recorder.elements(timeout: timeout) }
    #expect(text == #"time was up after 0.01 seconds, waiting for the completion; had arrived: ["a"]"#)
    #expect(try await recorder.next() == "a", "It was not taken.")
    subject.send(completion: .finished)
    text = await message { _ = try await recorder.next(timeout: timeout) }
    #expect(text == #"the publisher finished, waiting for a value; had arrived: ["a"]"#)
  }

  @Test func usesItsOwnTimeout() async throws {
    let recorder = subject.record(timeout: .milliseconds(10))
    let error = await #expect(throws: RecordingError.self) { try await recorder.finished }
    #expect(error?.reason == .timedOut(after: .milliseconds(10)))
  }

  @Test func endsWithItsTask() async {
    let recorder = subject.record(timeout: .seconds(60))
    let task = Task { try await recorder.next() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // A later value is not lost to the cancelled wait.
    subject.send("a")
    #expect((try? await recorder.next()) == "a")
  }

  @Test func cancelsTheSubscriptionWhenItIsReleased() async throws {
    let upstream = ManualPublisher<Int, Never>()
    do {
      let recorder = upstream.record()
      upstream.send(1)
      #expect(try await recorder.next() == 1)
      #expect(upstream.history == [.requested(.unlimited)])
    }
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func keepsTheSubscriptionWhileATaskWaits() async throws {
    let upstream = SharedUpstream<Int>()
    let isWaiting = Bell()
    let task = Task {
      let recorder = upstream.record(timeout: .seconds(60))
      isWaiting.ring()
      return try await recorder.next()
    }
    await isWaiting.wait()
    #expect(upstream.cancelCount == 0)
    upstream.send(7)
    #expect(try await task.value == 7)
  }

  @Test func ignoresEventsOutOfOrder() async throws {
    let upstream = ManualPublisher<Int, Never>(subscription: nil)
    let recorder = upstream.record()
    upstream.send(1)
    let (first, second) = (ManualSubscription(), ManualSubscription())
    upstream.send(subscription: first)
    upstream.send(subscription: second)
    #expect(first.history == [.requested(.unlimited)])
    #expect(second.history == [.cancelled])
    upstream.send(2)
    upstream.send(completion: .finished)
    upstream.send(3)
    upstream.send(completion: .finished)
    #expect(try await recorder.elements == [2])
  }

  @Test func takesValuesThatAreNotSendable() async throws {
    final class Box {
      let number: Int
      init(_ number: Int) { self.number = number }
    }
    let recorder = [1, 2, 3].publisher.map(Box.init).record()
    #expect(try await recorder.next().number == 1)
    #expect(try await recorder.next(1).map(\.number) == [2])
    #expect(try await recorder.elements().map(\.number) == [1, 2, 3])
  }

  @MainActor @Test func worksOnAnActor() async throws {
    let recorder = subject.record(timeout: .seconds(60))
    Task { @MainActor in subject.send("a") }
    #expect(try await recorder.next() == "a")
  }

  @Test func manyThreadsAndTasks() async throws {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.record(timeout: .seconds(60))
    let values = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 {
        group.addTask { try await (0..<25).asyncMap { _ in try await recorder.next() } }
      }
      for thread in 0..<4 {
        group.addTask {
          for index in 0..<50 { subject.send(thread * 50 + index) }
          return []
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(values.sorted() == Array(0..<200))
    subject.send(completion: .finished)
    #expect(try await recorder.elements.sorted() == Array(0..<200))
  }
}

extension Sequence where Self: Sendable {

  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var result: [T] = []
    for element in self { result.append(try await transform(element)) }
    return result
  }
}
