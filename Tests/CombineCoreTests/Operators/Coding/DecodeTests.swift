import CombineCore
import TestSupport
import Testing

@Suite struct DecodeTests {

  @Test func decodesAndHasItsOwnSubscription() {
    expectCoding(name: "Decode") { $0.decode(type: Int.self, decoder: $1) }
  }

  @Test func decodesTheRequestedType() {
    struct Text: Decodable, Equatable { let text: String }
    struct TextDecoder: TopLevelDecoder {
      func decode<T: Decodable>(_ type: T.Type, from: String) throws -> T {
        #expect(type == Text.self)
        return Text(text: from) as! T
      }
    }
    let upstream = ManualPublisher<String, TestError>()
    let subscriber = RecordingSubscriber<Text, any Error>()
    upstream.decode(type: Text.self, decoder: TextDecoder()).subscribe(subscriber)
    upstream.send("a")
    #expect(subscriber.values == [Text(text: "a")])
  }

  @Test func exposesItsUpstreamAndCapturesTheDecoder() {
    let upstream = TestUpstream()
    weak var decoder: TestCoder?
    let publisher: Publishers.Decode<TestUpstream, Int, TestCoder>
    do {
      let coder = TestCoder()
      decoder = coder
      publisher = upstream.decode(type: Int.self, decoder: coder)
    }
    #expect(publisher.upstream === upstream)
    #expect(decoder != nil)
    let made = Publishers.Decode<TestUpstream, Int, TestCoder>(upstream: upstream, decoder: TestCoder())
    #expect(made.upstream === upstream)
    withExtendedLifetime(publisher) {}
  }
}
