import CombineCore
import TestSupport
import Testing

@Suite struct ComparisonTests {

  /// A value that compares by one of its parts.
  private struct Item: Comparable {
    let key: Int
    let name: String
    static func < (lhs: Item, rhs: Item) -> Bool { lhs.key < rhs.key }
    static func == (lhs: Item, rhs: Item) -> Bool { lhs.key == rhs.key }
  }

  @Test func findsTheSmallestAndTheLargest() {
    let values = [3, 1, 4, 1, 5, -9, 2, 6]
    #expect(reduction(of: values) { $0.min() }.events == [.value(-9), .finished])
    #expect(reduction(of: values) { $0.max() }.events == [.value(6), .finished])
    #expect(reduction(of: values) { $0.min { $0 * $0 < $1 * $1 } }.events == [.value(1), .finished])
    #expect(reduction(of: values) { $0.max { $0 * $0 < $1 * $1 } }.events == [.value(-9), .finished])
    #expect(reduction(of: values) { $0.tryMin { $0 < $1 } }.events == [.value(-9), .finished])
    #expect(reduction(of: values) { $0.tryMax { $0 < $1 } }.events == [.value(6), .finished])
  }

  @Test func keepsTheEarliestOfEqualValues() {
    func names<P: Publisher>(_ make: (Publishers.Map<TestUpstream, Item>) -> P) -> [String] where P.Output == Item {
      let keys = [2, 1, 2, 1]
      var index = 0
      let result = reduction(of: keys) { upstream in
        make(
          upstream.map { key in
            defer { index += 1 }
            return Item(key: key, name: "\(index)")
          }
        )
      }
      return result.events.compactMap { if case .value(let item) = $0 { item.name } else { nil } }
    }
    #expect(names { $0.max() } == ["0"])
    #expect(names { $0.min() } == ["1"])
    #expect(names { $0.max(by: <) } == ["0"])
    #expect(names { $0.min(by: <) } == ["1"])
    #expect(names { $0.tryMax(by: <) } == ["0"])
    #expect(names { $0.tryMin(by: <) } == ["1"])
  }

  @Test func comparesOnceForEachValueButTheFirst() {
    func comparing(_ onCall: @escaping ([Int]) -> Void) -> (Int, Int) -> Bool {
      {
        onCall([$0, $1])
        return $0 < $1
      }
    }
    #expect(arguments(for: [3, 1, 2]) { $0.max(by: comparing($1)) } == [[3, 1], [3, 2]])
    #expect(arguments(for: [3, 1, 2]) { $0.tryMax(by: comparing($1)) } == [[3, 1], [3, 2]])
    #expect(arguments(for: [3, 1, 2]) { $0.min(by: comparing($1)) } == [[1, 3], [2, 1]])
    #expect(arguments(for: [3, 1, 2]) { $0.tryMin(by: comparing($1)) } == [[1, 3], [2, 1]])
    #expect(arguments(for: [3]) { $0.max(by: comparing($1)) } == [])
  }

  @Test func holdsWhatItIsMadeOf() throws {
    let upstream = TestUpstream()
    let max: Publishers.Comparison<TestUpstream> = upstream.max()
    #expect(max.upstream === upstream)
    #expect(max.areInIncreasingOrder(1, 2))
    #expect(!max.areInIncreasingOrder(1, 1))
    let min: Publishers.Comparison<TestUpstream> = upstream.min()
    #expect(min.areInIncreasingOrder(2, 1))
    #expect(!min.areInIncreasingOrder(1, 1))
    #expect(upstream.max { $0 - 10 < $1 }.areInIncreasingOrder(5, 1))
    #expect(upstream.min { $0 - 10 < $1 }.areInIncreasingOrder(5, 1))
    #expect(!upstream.min { $0 + 10 < $1 }.areInIncreasingOrder(1, 5))
    #expect(!(max is any Equatable))

    let tryMax: Publishers.TryComparison<TestUpstream> = upstream.tryMax(by: <)
    #expect(tryMax.upstream === upstream)
    #expect(try tryMax.areInIncreasingOrder(1, 2))
    #expect(try upstream.tryMin(by: <).areInIncreasingOrder(2, 1))
    #expect(Publishers.Comparison(upstream: upstream, areInIncreasingOrder: <).areInIncreasingOrder(1, 2))
    #expect(try Publishers.TryComparison(upstream: upstream, areInIncreasingOrder: <).areInIncreasingOrder(1, 2))
  }
}
