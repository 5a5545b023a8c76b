import BenchmarkSupport

// One source, compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

// Publishers are made by their initialisers and not by the methods, some of which both libraries answer at once
// (`map` of a sequence is a sequence) or fuse (`map` of a `map` is one `map`): nothing of the pipeline is left out.

public enum Pipelines: Contestant {

  public static func sequenceMapFilterSink(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { $0 &* 3 }
    let filtered = Publishers.Filter(upstream: mapped) { $0 & 1 == 0 }
    let cancellable = filtered.sink { checksum.add($0) }
    cancellable.cancel()
  }

  public static func tenMaps(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let map1 = Publishers.Map(upstream: source) { $0 &+ 1 }
    let map2 = Publishers.Map(upstream: map1) { $0 ^ 2 }
    let map3 = Publishers.Map(upstream: map2) { $0 &+ 3 }
    let map4 = Publishers.Map(upstream: map3) { $0 ^ 4 }
    let map5 = Publishers.Map(upstream: map4) { $0 &+ 5 }
    let map6 = Publishers.Map(upstream: map5) { $0 ^ 6 }
    let map7 = Publishers.Map(upstream: map6) { $0 &+ 7 }
    let map8 = Publishers.Map(upstream: map7) { $0 ^ 8 }
    let map9 = Publishers.Map(upstream: map8) { $0 &+ 9 }
    let map10 = Publishers.Map(upstream: map9) { $0 ^ 10 }
    let cancellable = map10.sink { checksum.add($0) }
    cancellable.cancel()
  }

  public static func oneByOne(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { $0 &* 3 }
    mapped.subscribe(OneByOne(checksum))
  }

  public static func subjectMapSink(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let mapped = Publishers.Map(upstream: subject) { $0 &* 3 }
    let cancellable = mapped.sink { checksum.add($0) }
    for element in 0..<count {
      subject.send(element)
    }
    cancellable.cancel()
  }

  public static func tenSubscribers(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let cancellables = (0..<10).map { _ in
      subject.sink { checksum.add($0) }
    }
    for element in 0..<count / 10 {
      subject.send(element)
    }
    for cancellable in cancellables {
      cancellable.cancel()
    }
  }

  public static func flatMap(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let flattened = Publishers.FlatMap(upstream: source, maxPublishers: .unlimited) { Just($0 &* 3) }
    let cancellable = flattened.sink { checksum.add($0) }
    cancellable.cancel()
  }

  public static func zip(_ count: Int, _ checksum: Checksum) {
    let first = PassthroughSubject<Int, Never>()
    let second = PassthroughSubject<Int, Never>()
    let zipped = Publishers.Zip(first, second)
    let cancellable = zipped.sink { checksum.add($0 &+ $1) }
    for element in 0..<count {
      first.send(element)
      second.send(element &* 2)
    }
    cancellable.cancel()
  }

  public static func subscribeAndCancel(_ count: Int, _ checksum: Checksum) {
    for element in 0..<count {
      let mapped = Publishers.Map(upstream: Just(element)) { $0 &* 3 }
      let cancellable = mapped.sink { checksum.add($0) }
      cancellable.cancel()
    }
  }
}

/// Asks for one element, and on each for one more.
private final class OneByOne: Subscriber {

  typealias Input = Int
  typealias Failure = Never

  private let checksum: Checksum

  init(_ checksum: Checksum) {
    self.checksum = checksum
  }

  func receive(subscription: any Subscription) {
    subscription.request(.max(1))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    checksum.add(input)
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}
