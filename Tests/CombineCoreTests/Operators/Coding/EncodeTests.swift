import CombineCore
import TestSupport
import Testing

/// The coder of the tests of `encode` and `decode`: passes a number through, counts the calls, and throws on 100.
final class TestCoder: TopLevelEncoder, TopLevelDecoder {

  private(set) var calls = 0

  var onCall: () -> Void = {}

  func encode<T: Encodable>(_ value: T) throws -> Int {
    try code(value as! Int)
  }

  func decode<T: Decodable>(_ type: T.Type, from: Int) throws -> T {
    try code(from) as! T
  }

  private func code(_ number: Int) throws -> Int {
    calls += 1
    onCall()
    if number == 100 { throw TestError("coder") }
    return number
  }
}

/// Checks `encode` or `decode` with a coder.
func expectCoding<P: Publisher>(
  name: String,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (TestUpstream, TestCoder) -> P
) where P.Output == Int, P.Failure == any Error {
  expectLenient(
    name: name,
    rules: LenientRules(deliversValuesAfterEnd: false, deliversCompletionsAfterEnd: false),
    sourceLocation: sourceLocation
  ) { make($0, TestCoder()) }
  codesEachValue(name, sourceLocation, make)
  endsWhenTheCoderThrows(name, sourceLocation, make)
  endsWhenTheCoderThrowsBeforeASubscription(sourceLocation, make)
  dropsTheErrorOfACoderThatEndsTheSubscription(name, sourceLocation, make)
  reflectsTheConnection(name, sourceLocation, make)
}

private func codesEachValue<P: Publisher>(
  _ name: String,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, TestCoder) -> P
) where P.Output == Int, P.Failure == any Error {
  let upstream = TestUpstream()
  let coder = TestCoder()
  let subscriber = RecordingSubscriber<Int, any Error>(requesting: .max(2), returning: [.max(5), .unlimited])
  make(upstream, coder).subscribe(subscriber)

  #expect([1, 2, 3].map { upstream.send($0) } == [.max(5), .unlimited, .none], sourceLocation: sourceLocation)
  upstream.send(completion: .failure("upstream"))
  #expect(upstream.send(4) == .none, sourceLocation: sourceLocation)

  #expect(
    subscriber.events == [.subscription(name), .value(1), .value(2), .value(3), .failure("upstream")],
    sourceLocation: sourceLocation
  )
  #expect(upstream.history == [.requested(.max(2))], sourceLocation: sourceLocation)
  #expect(coder.calls == 3, sourceLocation: sourceLocation)
}

private func endsWhenTheCoderThrows<P: Publisher>(
  _ name: String,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, TestCoder) -> P
) where P.Output == Int, P.Failure == any Error {
  let upstream = TestUpstream()
  let coder = TestCoder()
  let subscriber = RecordingSubscriber<Int, any Error>(onValue: { _ in .max(1) })
  make(upstream, coder).subscribe(subscriber)
  upstream.subscription!.onCancel = {
    #expect(subscriber.events == [.subscription(name)], "cancelled first", sourceLocation: sourceLocation)
    let finished = reflectedChild("finished", of: upstream.subscriber!) as? Bool
    #expect(finished == true, "finished before that", sourceLocation: sourceLocation)
    subscriber.request(.max(9))
  }

  #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
  #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
  #expect(upstream.send(1) == .none, sourceLocation: sourceLocation)
  upstream.send(completion: .finished)

  #expect(subscriber.events == [.subscription(name), .failure("coder")], sourceLocation: sourceLocation)
  #expect(upstream.history == [.cancelled], sourceLocation: sourceLocation)
  #expect(coder.calls == 1, sourceLocation: sourceLocation)
}

private func endsWhenTheCoderThrowsBeforeASubscription<P: Publisher>(
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, TestCoder) -> P
) where P.Output == Int, P.Failure == any Error {
  let upstream = TestUpstream(subscription: nil)
  let subscriber = RecordingSubscriber<Int, any Error>(onValue: { _ in .max(1) })
  make(upstream, TestCoder()).subscribe(subscriber)

  #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
  let late = ManualSubscription()
  upstream.send(subscription: late)
  #expect(subscriber.events == [.failure("coder")], sourceLocation: sourceLocation)
  #expect(late.history == [.cancelled], sourceLocation: sourceLocation)
}

private func dropsTheErrorOfACoderThatEndsTheSubscription<P: Publisher>(
  _ name: String,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, TestCoder) -> P
) where P.Output == Int, P.Failure == any Error {
  for isCancelled in [true, false] {
    let upstream = TestUpstream()
    let coder = TestCoder()
    let subscriber = RecordingSubscriber<Int, any Error>()
    make(upstream, coder).subscribe(subscriber)
    coder.onCall = { if isCancelled { subscriber.cancel() } else { upstream.send(completion: .finished) } }

    #expect(upstream.send(100) == .none, sourceLocation: sourceLocation)
    #expect(
      subscriber.events == [.subscription(name)] + (isCancelled ? [] : [.finished]),
      sourceLocation: sourceLocation
    )
    #expect(upstream.history == (isCancelled ? [.cancelled] : []), sourceLocation: sourceLocation)
  }
}

private enum End: CaseIterable {
  case completion, cancel, error
}

private func reflectsTheConnection<P: Publisher>(
  _ name: String,
  _ sourceLocation: SourceLocation,
  _ make: (TestUpstream, TestCoder) -> P
) where P.Output == Int, P.Failure == any Error {
  for end in End.allCases {
    let upstream = TestUpstream(subscription: nil)
    let subscriber = RecordingSubscriber<Int, any Error>()
    make(upstream, TestCoder()).subscribe(subscriber)
    let conduit = upstream.subscriber!
    func expect(_ subscription: ManualSubscription?, finished: Bool) {
      let child = reflectedOptionalChild("upstreamSubscription", of: conduit)
      #expect(child as AnyObject? === subscription, sourceLocation: sourceLocation)
      #expect(reflectedChild("finished", of: conduit) as? Bool == finished, sourceLocation: sourceLocation)
    }
    expectReflection(
      of: conduit,
      description: name,
      children: ["downstream", "finished", "upstreamSubscription"],
      sourceLocation: sourceLocation
    )
    #expect(reflectedChild("downstream", of: conduit) as AnyObject === subscriber, sourceLocation: sourceLocation)
    expect(nil, finished: false)
    let subscription = ManualSubscription()
    upstream.send(subscription: subscription)
    expect(subscription, finished: false)
    switch end {
    case .completion: upstream.send(completion: .finished)
    case .cancel: subscriber.cancel()
    case .error: upstream.send(100)
    }
    expect(nil, finished: true)
    subscriber.dropSubscription()
  }
}

@Suite struct EncodeTests {

  @Test func encodesAndHasItsOwnSubscription() {
    expectCoding(name: "Encode") { $0.encode(encoder: $1) }
  }

  @Test func exposesItsUpstreamAndCapturesTheEncoder() {
    let upstream = TestUpstream()
    weak var encoder: TestCoder?
    let publisher: Publishers.Encode<TestUpstream, TestCoder>
    do {
      let coder = TestCoder()
      encoder = coder
      publisher = upstream.encode(encoder: coder)
    }
    #expect(publisher.upstream === upstream)
    #expect(encoder != nil)
    #expect(Publishers.Encode(upstream: upstream, encoder: TestCoder()).upstream === upstream)
    withExtendedLifetime(publisher) {}
  }
}
