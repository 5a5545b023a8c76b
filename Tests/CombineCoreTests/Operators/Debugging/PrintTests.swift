import CombineCore
import Synchronization
import TestSupport
import Testing

/// A stream that keeps the text written to it.
private final class Transcript: TextOutputStream {

  var writes: [String] = []

  func write(_ string: String) {
    writes.append(string)
  }

  /// The written text, line by line.
  var lines: [String] {
    writes.joined().split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}

@Suite struct PrintTests {

  @Test func hasItsOwnSubscription() {
    expectLenient(name: "Print", rules: LenientRules()) { $0.print(to: Transcript()) }
  }

  @Test(arguments: ["", "👉"]) func logsEveryEventInEveryState(_ prefix: String) {
    let transcript = Transcript()
    let subscription = ManualSubscription(
      onRequest: { _ in print("‹S requested›", to: &transcript.stream) },
      onCancel: { print("‹S cancelled›", to: &transcript.stream) }
    )
    let upstream = TestUpstream(subscription: subscription)
    let subscriber = RecordingSubscriber<Int, TestError>()
    subscriber.onSubscription = {
      print("«subscription»", to: &transcript.stream)
      $0.request(.unlimited)
      $0.request(.max(30))
      $0.cancel()
    }
    subscriber.onValue = {
      print("«value»", to: &transcript.stream)
      subscriber.request(.max(100))
      return $0 == 10 ? .unlimited : .max(2)
    }
    subscriber.onCompletion = { _ in
      print("«completion»", to: &transcript.stream)
      subscriber.request(.max(12))
    }
    let publisher = prefix.isEmpty ? upstream.print(to: transcript) : upstream.print(prefix, to: transcript)
    publisher.subscribe(subscriber)
    #expect(upstream.send(1) == .max(2))
    subscriber.request(.max(42))
    #expect(upstream.send(2) == .max(2))
    upstream.send(completion: .finished)
    upstream.send(completion: .failure("failure"))
    #expect(upstream.send(10) == .unlimited)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))

    let log = """
      receive subscription: (ManualSubscription)
      «subscription»
      request unlimited
      ‹S requested›
      request max: (30)
      ‹S requested›
      receive cancel
      ‹S cancelled›
      receive value: (1)
      «value»
      request max: (100)
      request max: (2) (synchronous)
      request max: (42)
      receive value: (2)
      «value»
      request max: (100)
      request max: (2) (synchronous)
      receive finished
      «completion»
      request max: (12)
      receive error: (failure)
      «completion»
      request max: (12)
      receive value: (10)
      «value»
      request max: (100)
      request unlimited (synchronous)
      receive cancel
      receive cancel
      request max: (1)
      """
    let expected = log.split(separator: "\n").map { line in
      prefix.isEmpty || "«‹".contains(line.first!) ? String(line) : "\(prefix): \(line)"
    }
    #expect(transcript.lines == expected)
    #expect(upstream.history == [.requested(.unlimited), .requested(.max(30)), .cancelled])
    #expect(
      subscriber.events == [
        .subscription("Print"), .value(1), .value(2), .finished, .failure("failure"), .value(10),
      ]
    )
  }

  @Test func logsNoLineForNoDemand() {
    let transcript = Transcript()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.print(to: transcript).subscribe(subscriber)
    #expect(upstream.send(1) == .none)
    subscriber.request(.none)
    #expect(
      transcript.lines == [
        "receive subscription: (ManualSubscription)", "receive value: (1)", "request max: (0)",
      ]
    )
    #expect(upstream.history == [.requested(.none)])
  }

  @Test func logsSubscriptionsThatItCancels() {
    let transcript = Transcript()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.print(to: transcript).subscribe(subscriber)
    let second = ManualSubscription()
    let third = ManualSubscription()

    upstream.send(subscription: second)
    upstream.send(subscription: upstream.subscription!)
    #expect(upstream.history == [.cancelled])
    subscriber.cancel()
    upstream.send(subscription: third)

    let line = "receive subscription: (ManualSubscription)"
    #expect(transcript.lines == [line, line, line, "receive cancel", line])
    #expect(upstream.history == [.cancelled, .cancelled])
    #expect(second.history == [.cancelled])
    #expect(third.history == [.cancelled])
    #expect(subscriber.events == [.subscription("Print")])
  }

  @Test func writesEachLineByOneStandardPrint() {
    let transcript = Transcript()
    let upstream = TestUpstream()
    upstream.print("prefix", to: transcript).subscribe(RecordingSubscriber())
    #expect(transcript.writes == ["", "prefix: receive subscription: (ManualSubscription)", "\n"])
  }

  @Test func writesToACopyOfAStreamThatIsAValueAndKeepsThatCopy() {
    struct Numbering: TextOutputStream {
      var count = 0
      let transcript: Transcript
      mutating func write(_ string: String) {
        count += 1
        transcript.write(string == "\n" || string == "" ? string : "\(count) \(string)")
      }
    }
    let transcript = Transcript()
    let stream = Numbering(transcript: transcript)
    let upstream = TestUpstream()
    let publisher = upstream.print(to: stream)
    publisher.subscribe(RecordingSubscriber())
    upstream.send(1)

    #expect(transcript.lines == ["2 receive subscription: (ManualSubscription)", "5 receive value: (1)"])
    #expect(stream.count == 0)
    #expect((publisher.stream as? Numbering)?.count == 0)
  }

  @Test func aStreamMaySendAnotherValue() {
    final class Echo: TextOutputStream {
      var lines: [String] = []
      var onValue: () -> Void = {}
      func write(_ string: String) {
        lines.append(string)
        if string == "receive value: (1)" { onValue() }
      }
    }
    let echo = Echo()
    let upstream = TestUpstream()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.print(to: echo).subscribe(subscriber)
    echo.onValue = { upstream.send(2) }
    upstream.send(1)
    #expect(subscriber.values == [2, 1])
    #expect(echo.lines.filter { $0.hasPrefix("receive value") } == ["receive value: (1)", "receive value: (2)"])
  }

  @Test func printsToStandardOutputWithoutAStream() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let upstream = TestUpstream()
      let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      upstream.print("numbers").subscribe(subscriber)
      upstream.send(1)
      upstream.send(completion: .finished)
    }
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let lines = """
      numbers: receive subscription: (ManualSubscription)
      numbers: request unlimited
      numbers: receive value: (1)
      numbers: receive finished

      """
    #expect(output.contains(lines))
  }

  @Test func exposesItsParts() {
    let upstream = TestUpstream()
    let plain = upstream.print()
    #expect(plain.prefix == "")
    #expect(plain.stream == nil)
    #expect(plain.upstream === upstream)
    let transcript = Transcript()
    let other = Publishers.Print(upstream: upstream, prefix: "a", to: transcript)
    #expect(other.prefix == "a")
    #expect(other.stream as? Transcript === transcript)
    #expect(Publishers.Print(upstream: upstream, prefix: "b").stream == nil)
  }

  @Test func reflectsItself() {
    let upstream = TestUpstream()
    upstream.print(to: Transcript()).subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "Print")
  }

  @Test func doesNotSerializeValues() {
    struct Nowhere: TextOutputStream { func write(_ string: String) {} }
    expectNoSerialisation { $0.print(to: Nowhere()) }
  }

  @Test func deliversValuesOfTwoThreadsBeforeASubscription() {
    final class Lines: TextOutputStream, Sendable {
      private let count = Atomic<Int>(0)
      var value: Int { count.load(ordering: .acquiring) }
      func write(_ string: String) {
        if string.hasPrefix("receive value: (") { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
      }
    }
    let lines = Lines()
    let values = Guarded<[Int]>([])
    let upstream = TestUpstream(subscription: nil)
    let cancellable = upstream.print(to: lines).sink(
      receiveCompletion: { _ in },
      receiveValue: { value in values.withLock { $0.append(value) } }
    )
    defer { cancellable.cancel() }
    // Sending only reads the publisher, and nothing else uses it meanwhile. The test is of the conduit.
    nonisolated(unsafe) let source = upstream
    onThreads(2) { thread in
      for value in 0..<100 { source.send(thread * 100 + value) }
    }
    #expect(values.withLock { $0.sorted() } == Array(0..<200))
    #expect(lines.value == 200)
  }
}

extension Transcript {

  /// The transcript as a variable, for `print(_:to:)`.
  fileprivate var stream: Transcript {
    get { self }
    set {}
  }
}
