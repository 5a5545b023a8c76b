import CombineCore
import TestSupport
import Testing

@Suite struct MakeConnectableTests {

  private typealias Recorder = RecordingSubscriber<Int, Never>

  @Test func publishesNothingUntilItIsConnected() {
    let upstream = ManualPublisher<Int, Never>()
    let connectable: Publishers.MakeConnectable<ManualPublisher<Int, Never>> = upstream.makeConnectable()
    let first = Recorder(requesting: .unlimited)
    let second = Recorder(requesting: .max(1))
    connectable.subscribe(first)
    connectable.subscribe(second)
    #expect(upstream.subscribeCount == 0)
    #expect(first.events == [.subscription("Multicast")])

    let connection = connectable.connect()
    #expect(upstream.history == [.requested(.unlimited)])
    #expect(upstream.send(1) == .none)
    upstream.send(2)
    #expect(first.values == [1, 2])
    #expect(second.values == [1])
    connection.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    upstream.send(3)
    let again = connectable.connect()
    upstream.send(4)
    upstream.send(completion: .finished)
    #expect(first.events == [.subscription("Multicast"), .value(1), .value(2), .value(4), .finished])
    again.cancel()
  }

  @Test func copiesShareTheirSubscribersAndConnections() {
    let upstream = ManualPublisher<Int, Never>()
    let original = upstream.makeConnectable()
    let copy = original
    let subscriber = Recorder(requesting: .unlimited)
    original.subscribe(subscriber)
    let connection = copy.connect()
    upstream.send(1)
    #expect(subscriber.values == [1])
    connection.cancel()
  }

  @Test func aDirectSubscriberAndOneThroughAutoconnectReceiveTheSame() {
    let connectable = [1, 2].publisher.makeConnectable()
    let direct = Recorder(requesting: .unlimited)
    connectable.subscribe(direct)
    #expect(direct.values == [])
    let connecting = Recorder(requesting: .unlimited)
    connectable.autoconnect().subscribe(connecting)
    let expected: [Event<Int>] = [.subscription("Multicast"), .value(1), .value(2), .finished]
    #expect(direct.events == expected)
    #expect(connecting.events == expected)
  }

  @Test func theTypeAcceptsPublishersThatCanFail() {
    let upstream = ManualPublisher<Int, TestError>()
    let connectable = Publishers.MakeConnectable(upstream: upstream)
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    connectable.subscribe(subscriber)
    let connection = connectable.connect()
    upstream.send(completion: .failure("end"))
    #expect(subscriber.events == [.subscription("Multicast"), .failure("end")])
    connection.cancel()
  }

  @Test func reflectsItself() {
    let subscriber = Recorder()
    ManualPublisher<Int, Never>().makeConnectable().subscribe(subscriber)
    expectReflection(of: subscriber.subscription!, description: "Multicast")
  }
}
