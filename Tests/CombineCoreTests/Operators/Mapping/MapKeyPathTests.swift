import CombineCore
import TestSupport
import Testing

@Suite struct MapKeyPathTests {

  struct Point: Equatable {
    var x: Int
    var y: String
    var z: Double
  }

  private typealias Upstream = ManualPublisher<Point, TestError>

  /// The static type that an expression has without a context.
  private func resolved<T>(_ value: T) -> T.Type { T.self }

  @Test func areTransparent() {
    expectTransparent(failure: TestError()) { $0.map(\.self) }
    expectTransparent(failure: TestError()) { $0.map(\.self, \.description).map { value, _ in value } }
    expectTransparent(failure: TestError()) { $0.map(\.self, \.self, \.description).map { _, value, _ in value } }
  }

  @Test func publishesOneProperty() {
    let upstream = Upstream()
    let subscriber = RecordingSubscriber<String, TestError>(requesting: .max(2), returning: [.max(4)])
    upstream.map(\.y).subscribe(subscriber)
    #expect(upstream.send(Point(x: 1, y: "a", z: 0)) == .max(4))
    #expect(upstream.send(Point(x: 2, y: "b", z: 0)) == .none)
    upstream.send(completion: .failure("x"))
    #expect(subscriber.events == [.subscription("ManualSubscription"), .value("a"), .value("b"), .failure("x")])
    #expect(upstream.history == [.requested(.max(2))])
  }

  /// With the overloads of `map` in the other order, the compiler gives up on this.
  @Test func aChainBehindIsTypeCheckedAtOnce() {
    let subject = PassthroughSubject<Point, Never>()
    var averages: [Double] = []
    let cancellable =
      subject
      .map(\.x)
      .scan((sum: 0, count: 0)) { ($0.sum + $1, $0.count + 1) }
      .map { Double($0.sum) / Double($0.count) }
      .filter { $0 > 10 }
      .sink { averages.append($0) }
    for x in [9, 12, 15] { subject.send(Point(x: x, y: "", z: 0)) }
    #expect(averages == [10.5, 12])
    cancellable.cancel()
  }

  @Test func publishesTwoPropertiesAsATuple() throws {
    let upstream = Upstream()
    let subscriber = RecordingSubscriber<(Int, String), TestError>(requesting: .max(2), returning: [.max(4)])
    upstream.map(\.x, \.y).subscribe(subscriber)
    #expect(upstream.send(Point(x: 1, y: "a", z: 0)) == .max(4))
    #expect(try #require(subscriber.values.first) == (1, "a"))
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func publishesThreePropertiesAsATuple() throws {
    let upstream = Upstream()
    let subscriber = RecordingSubscriber<(Double, Int, String), TestError>(requesting: .max(2), returning: [.max(4)])
    upstream.map(\.z, \.x, \.y).subscribe(subscriber)
    #expect(upstream.send(Point(x: 1, y: "a", z: 0.5)) == .max(4))
    #expect(try #require(subscriber.values.first) == (0.5, 1, "a"))
    #expect(upstream.history == [.requested(.max(2))])
  }

  @Test func readsEachPropertyOnceInTheOrderOfTheArguments() {
    final class Observed {
      var reads: [String] = []
      var first: Int { note("first") }
      var second: Int { note("second") }
      var third: Int { note("third") }
      private func note(_ name: String) -> Int {
        reads.append(name)
        return reads.count
      }
    }
    let upstream = ManualPublisher<Observed, TestError>()
    let value = Observed()
    upstream.map(\.second, \.first).subscribe(RecordingSubscriber())
    upstream.send(value)
    #expect(value.reads == ["second", "first"])
    value.reads = []
    upstream.map(\.third, \.first, \.second).subscribe(RecordingSubscriber())
    upstream.send(value)
    #expect(value.reads == ["third", "first", "second"])
  }

  // MARK: Overloads

  @Test func aKeyPathLiteralIsNotConvertedToAClosure() {
    typealias Numbers = ManualPublisher<Int, TestError>
    let upstream = Upstream()
    let numbers = Numbers()
    #expect(resolved(upstream.map(\.x)) == Publishers.MapKeyPath<Upstream, Int>.self)
    #expect(resolved(upstream.map(\.x, \.y)) == Publishers.MapKeyPath2<Upstream, Int, String>.self)
    #expect(resolved(upstream.map(\.x, \.y, \.z)) == Publishers.MapKeyPath3<Upstream, Int, String, Double>.self)
    #expect(resolved(numbers.map { $0 }) == Publishers.Map<Numbers, Int>.self)
    #expect(resolved(numbers.map { "\($0)" }) == Publishers.Map<Numbers, String>.self)
    #expect(resolved(numbers.map { (number: Int) in number + 1 }) == Publishers.Map<Numbers, Int>.self)
    #expect(resolved(numbers.map(String.init(describing:))) == Publishers.Map<Numbers, String>.self)
    #expect(resolved(numbers.map(Optional.some)) == Publishers.Map<Numbers, Int?>.self)
    #expect(resolved(numbers.map(-)) == Publishers.Map<Numbers, Int>.self)
    let keyPath: KeyPath<Point, Int> = \.x
    #expect(resolved(upstream.map(keyPath)) == Publishers.MapKeyPath<Upstream, Int>.self)
    let writable: WritableKeyPath<Point, Int> = \.x
    #expect(resolved(upstream.map(writable)) == Publishers.MapKeyPath<Upstream, Int>.self)
  }

  @Test func doesNotFuse() {
    let upstream = Upstream()
    typealias First = Publishers.MapKeyPath<Upstream, String>
    #expect(resolved(upstream.map(\.y).map(\.count)) == Publishers.MapKeyPath<First, Int>.self)
    #expect(resolved(upstream.map(\.y).map { $0 + "!" }) == Publishers.Map<First, String>.self)
    #expect(resolved(upstream.map { $0 }.map(\.x)) == Publishers.MapKeyPath<Publishers.Map<Upstream, Point>, Int>.self)
    #expect(
      resolved(upstream.tryMap { $0 }.map(\.x)) == Publishers.MapKeyPath<Publishers.TryMap<Upstream, Point>, Int>.self
    )
    #expect(
      resolved(upstream.compactMap { $0 as Point? }.map(\.x))
        == Publishers.MapKeyPath<Publishers.CompactMap<Upstream, Point>, Int>.self
    )
  }

  @Test func sourcesOfValuesTakeKeyPathsToo() {
    #expect(
      resolved([""].publisher.map(\.count)) == Publishers.MapKeyPath<Publishers.Sequence<[String], Never>, Int>.self
    )
    #expect(resolved(Just("").map(\.count)) == Publishers.MapKeyPath<Just<String>, Int>.self)
  }

  @Test func keepsItsArguments() {
    let upstream = Upstream()
    let one = upstream.map(\.x)
    #expect(one.upstream === upstream)
    #expect(one.keyPath == \.x)
    let two = upstream.map(\.x, \.y)
    #expect(two.upstream === upstream)
    #expect(two.keyPath0 == \.x)
    #expect(two.keyPath1 == \.y)
    let three = upstream.map(\.x, \.y, \.z)
    #expect(three.upstream === upstream)
    #expect(three.keyPath0 == \.x)
    #expect(three.keyPath1 == \.y)
    #expect(three.keyPath2 == \.z)
  }

  // MARK: Reflection

  @Test func reflectsItself() throws {
    let upstream = Upstream()
    upstream.map(\.x).subscribe(RecordingSubscriber())
    let one = try #require(upstream.subscriber)
    expectReflection(of: one, description: "ValueForKey", children: ["keyPath"])
    #expect(reflectedChild("keyPath", of: one) as? KeyPath<Point, Int> == \.x)

    upstream.map(\.x, \.y).subscribe(RecordingSubscriber())
    let two = try #require(upstream.subscriber)
    expectReflection(of: two, description: "ValueForKeys", children: ["keyPath0", "keyPath1"])
    #expect(reflectedChild("keyPath0", of: two) as? KeyPath<Point, Int> == \.x)
    #expect(reflectedChild("keyPath1", of: two) as? KeyPath<Point, String> == \.y)

    upstream.map(\.x, \.y, \.z).subscribe(RecordingSubscriber())
    let three = try #require(upstream.subscriber)
    expectReflection(of: three, description: "ValueForKeys", children: ["keyPath0", "keyPath1", "keyPath2"])
    #expect(reflectedChild("keyPath2", of: three) as? KeyPath<Point, Double> == \.z)
    #expect(reflectedChild("keyPath2", of: three).map { "\($0)".hasPrefix("\\Point.") } == true)
  }
}
