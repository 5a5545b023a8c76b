import CombineCore
import TestSupport
import Testing

@Suite struct ReplaceNilTests {

  private typealias Upstream = ManualPublisher<Int?, TestError>

  @Test func isTransparent() {
    expectTransparent(failure: TestError()) { $0.map { $0 as Int? }.replaceNil(with: 0) }
  }

  @Test func replacesEachNilAndUnwrapsTheOthers() {
    let upstream = Upstream()
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(3), returning: [.max(2), .max(1), .none])
    upstream.replaceNil(with: 42).subscribe(subscriber)
    #expect([1, nil, 3, nil].map { upstream.send($0) } == [.max(2), .max(1), .none, .none])
    upstream.send(completion: .failure("x"))
    #expect(
      subscriber.events == [
        .subscription("ManualSubscription"), .value(1), .value(42), .value(3), .value(42), .failure("x"),
      ]
    )
    #expect(upstream.history == [.requested(.max(3))])
  }

  @Test func unwrapsOneLevelOnly() {
    let upstream = ManualPublisher<Int??, TestError>()
    let subscriber = RecordingSubscriber<Int?, TestError>()
    upstream.replaceNil(with: Int?.some(42)).subscribe(subscriber)
    upstream.send(.some(.none))
    upstream.send(.none)
    upstream.send(1)
    #expect(subscriber.values == [nil, 42, 1])
  }

  @Test func isAMapThatDoesNotFuseWithAnother() {
    func resolved<T>(_ value: T) -> T.Type { T.self }
    let upstream = Upstream()
    let replaced = upstream.replaceNil(with: 42)
    #expect(resolved(replaced) == Publishers.Map<Upstream, Int>.self)
    #expect(replaced.upstream === upstream)
    #expect([nil, 1].map { replaced.transform($0) } == [42, 1])

    let mapped = upstream.map { $0 }
    #expect(resolved(mapped.replaceNil(with: 42)) == Publishers.Map<Publishers.Map<Upstream, Int?>, Int>.self)
  }

  @Test func reflectsItself() {
    let upstream = Upstream()
    upstream.replaceNil(with: 0).subscribe(RecordingSubscriber())
    expectReflection(of: upstream.subscriber!, description: "Map")
  }
}
