import CombineCore
import TestSupport
import Testing

@Suite struct ScanTests {

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.scan(0) { $1 } }
  }

  @Test func publishesEachResultEvenAfterACompletion() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(3), returning: [.max(2), .none, .unlimited])
    upstream.scan(0) { $0 + $1 * 2 }.subscribe(subscriber)

    #expect([2, 3, 4, 5].map { upstream.send($0) } == [.max(2), .none, .unlimited, .none])
    upstream.send(completion: .finished)
    upstream.send(6)

    #expect(
      subscriber.events == [
        .subscription("ManualSubscription"), .value(4), .value(10), .value(18), .value(28), .finished, .value(40),
      ]
    )
    #expect(upstream.history == [.requested(.max(3))])
  }

  @Test func startsAnewForEachSubscription() {
    let upstream = ManualPublisher<Int, TestError>()
    let publisher = upstream.scan(10, +)
    for _ in 0..<2 {
      let subscriber = RecordingSubscriber<Int, TestError>()
      publisher.subscribe(subscriber)
      upstream.send(1)
      #expect(subscriber.values == [11])
    }
  }

  @Test func storesAResultBeforeTheDownstreamReceivesIt() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.scan(0, +).subscribe(subscriber)
    subscriber.onValue = { value in
      if value < 3 { upstream.send(1) }
      return .none
    }

    upstream.send(1)
    #expect(subscriber.values == [1, 2, 3])
  }

  @Test func aClosureMaySendTheNextValue() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.scan(0) { result, value in
      if value == 1 { upstream.send(10) }
      return result + value
    }.subscribe(subscriber)

    upstream.send(1)
    #expect(subscriber.values == [10, 1], "the outer result was read before the nested one")
    upstream.send(5)
    #expect(subscriber.values == [10, 1, 6], "and is the one that stays")
  }

  @Test func exposesItsParts() {
    let upstream = ManualPublisher<Int, TestError>()
    let scan: Publishers.Scan<ManualPublisher<Int, TestError>, String> = upstream.scan("a") { "\($0)\($1)" }
    #expect(scan.upstream === upstream)
    #expect(scan.initialResult == "a")
    #expect(scan.nextPartialResult("a", 1) == "a1")
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    upstream.scan(7, +).subscribe(subscriber)
    expectReflection(of: upstream.subscriber!, description: "Scan", children: ["downstream", "result"])
    #expect(reflectedChild("downstream", of: upstream.subscriber!) as AnyObject === subscriber)
    #expect(reflectedChild("result", of: upstream.subscriber!) as? Int == 7)
    upstream.send(1)
    #expect(reflectedChild("result", of: upstream.subscriber!) as? Int == 8)
  }
}

@Suite struct TryScanTests {

  @Test func hasItsOwnSubscription() {
    expectLenient(
      name: "TryScan",
      rules: LenientRules(
        deliversCompletionBeforeSubscription: false,
        deliversCompletionsAfterEnd: false,
        staysSubscribedAfterCompletion: true
      )
    ) { $0.tryScan(0) { $1 } }
  }

  @Test func anErrorThrownAfterTheCompletionIsDelivered() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryScan(0) { _, _ in throw TestError("thrown") }.subscribe(subscriber)
    upstream.send(completion: .finished)

    for value in 1...2 { #expect(upstream.send(value) == .none) }

    #expect(subscriber.events == [.subscription("TryScan"), .finished, .failure("thrown")])
    #expect(upstream.history == [.cancelled])
  }

  @Test func deliversAnErrorOnceAndContinuesScanning() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>(onValue: { _ in .max(3) })
    var calls = 0
    upstream.tryScan(0) { _, value in
      calls += 1
      if value == 100 { throw TestError("thrown") }
      return value * 2
    }.subscribe(subscriber)
    upstream.subscription!.onCancel = {
      #expect(subscriber.events.last == .value(6), "the upstream is cancelled before the failure is sent")
      upstream.send(completion: .finished)
    }

    #expect([2, 3, 100, 9, 100].map { upstream.send($0) } == [.max(3), .max(3), .none, .max(3), .none])
    upstream.send(completion: .finished)

    #expect(
      subscriber.events == [.subscription("TryScan"), .value(4), .value(6), .failure("thrown"), .value(18)]
    )
    #expect(upstream.history == [.cancelled])
    #expect(calls == 5)
  }

  @Test func aThrownErrorLeavesTheResultUnchanged() {
    let upstream = ManualPublisher<Int, TestError>(subscription: nil)
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryScan(1) { result, value in
      if value == 100 { throw TestError("thrown") }
      return result + value
    }.subscribe(subscriber)

    #expect(upstream.send(100) == .none)
    #expect(subscriber.events == [], "before a subscription no error is delivered")
    upstream.send(2)
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    upstream.send(3)

    #expect(subscriber.events == [.value(3), .subscription("TryScan"), .value(6)])
    #expect(subscription.history == [])
  }

  @Test func anErrorThrownAfterACancelIsNotDelivered() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryScan(0) { _, _ in throw TestError("thrown") }.subscribe(subscriber)

    subscriber.cancel()
    #expect(upstream.send(1) == .none)
    #expect(subscriber.events == [.subscription("TryScan")])
    #expect(upstream.history == [.cancelled])
  }

  @Test func exposesItsParts() throws {
    let upstream = ManualPublisher<Int, TestError>()
    let scan: Publishers.TryScan<ManualPublisher<Int, TestError>, String> = upstream.tryScan("a") { result, value in
      if value == 0 { throw TestError() }
      return "\(result)\(value)"
    }
    #expect(scan.upstream === upstream)
    #expect(scan.initialResult == "a")
    #expect(try scan.nextPartialResult("a", 1) == "a1")
    #expect(throws: TestError.self) { try scan.nextPartialResult("a", 0) }
  }

  @Test func reflectsItself() {
    let upstream = ManualPublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, any Error>()
    upstream.tryScan(7) { $0 + $1 }.subscribe(subscriber)
    let conduit = upstream.subscriber!
    expectReflection(of: conduit, description: "TryScan", children: ["downstream", "status", "result"])
    #expect(reflectedChild("downstream", of: conduit) as AnyObject === subscriber)
    upstream.send(1)
    #expect(reflectedChild("result", of: conduit) as? Int == 8)
  }
}
