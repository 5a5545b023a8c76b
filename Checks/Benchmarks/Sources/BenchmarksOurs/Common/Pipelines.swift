import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import Dispatch
  import OpenCombine
  import OpenCombineDispatch
#else
  import CombineDispatch
  import Dispatch
#endif

// Publishers are created by their initializers and not by the methods. In both libraries, some methods do their work
// immediately (`map` of a sequence is a sequence) or fuse (`map` of a `map` is one `map`). The initializers keep every
// operator. The results of the methods for ten `map`s are separate rows.

public enum Pipelines: Contestant {

  public static func work(for workload: Workload) -> Work? {
    switch workload {
    case .sequenceMapFilterSink: sequenceMapFilterSink
    case .tenMaps: tenMaps
    case .tenMapsFused: tenMapsFused
    case .tenMapsAtOnce: tenMapsAtOnce
    case .scanToCompactMap: scanToCompactMap
    case .oneByOne: oneByOne
    case .twoErasures: twoErasures
    case .tenErasures: tenErasures
    case .flatMap: flatMap
    case .flatMapThousands: flatMapThousands
    case .switchToLatest: switchToLatest
    case .switchToSubject: switchToSubject
    case .subjectMapSink: subjectMapSink
    case .tenSubscribers: tenSubscribers
    case .currentValueSubject: currentValueSubject
    case .published: published
    case .objectWillChange: objectWillChange
    case .objectWillChangeSend: objectWillChangeSend
    case .share: share
    case .zip: zip
    case .subscribeAndCancel: subscribeAndCancel
    case .subscribeToSubject: subscribeToSubject
    case .subscribeCrowd: subscribeCrowd
    case .future: future
    case .tryMapCatch: tryMapCatch
    case .receiveOn: { receiveOn($0, $1) }
    case .receiveOnBacklog: { receiveOn($0, $1, afterAll: true) }
    case .debounce: debounce
    case .values: values
    #if OPENCOMBINE
      case .combineLatest, .merge: nil
      // Its `flatMap` to futures that tasks fulfill has a wrong outcome in some runs.
      case .asyncMap: nil
      case .withLatest, .replaySubject, .shareReplay, .flatMapLatest, .groupBy, .inspectOff, .inspectOn:
        Compositions.work(for: workload)
    #else
      case .combineLatest: combineLatest
      case .merge: merge
      case .withLatest: withLatest
      case .replaySubject: replaySubject
      case .shareReplay: shareReplay
      case .flatMapLatest: flatMapLatest
      case .groupBy: groupBy
      case .asyncMap: asyncMap
      case .inspectOff: inspect
      case .inspectOn: inspectRecorded
    #endif
    }
  }

  static func sequenceMapFilterSink(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { $0 &* 3 }
    let filtered = Publishers.Filter(upstream: mapped) { $0 & 1 == 0 }
    let cancellable = filtered.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func tenMaps(_ count: Int, _ checksum: Checksum) {
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

  static func tenMapsFused(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let first = Publishers.Map(upstream: source) { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }
    let second = first.map { $0 &+ 5 }.map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }.map { $0 ^ 10 }
    let cancellable = second.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func tenMapsAtOnce(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    // Separate statements, because OpenCombine's overloads are ambiguous in a chain.
    let map1 = source.map { $0 &+ 1 }
    let map2 = map1.map { $0 ^ 2 }
    let map3 = map2.map { $0 &+ 3 }
    let map4 = map3.map { $0 ^ 4 }
    let map5 = map4.map { $0 &+ 5 }
    let map6 = map5.map { $0 ^ 6 }
    let map7 = map6.map { $0 &+ 7 }
    let map8 = map7.map { $0 ^ 8 }
    let map9 = map8.map { $0 &+ 9 }
    let map10 = map9.map { $0 ^ 10 }
    let cancellable = map10.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func tenErasures(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    var erased = subject.eraseToAnyPublisher()
    for stage in 1...10 {
      erased = Publishers.Map(upstream: erased) { $0 &+ stage }.eraseToAnyPublisher()
    }
    let cancellable = erased.sink { checksum.add($0) }
    for element in 0..<count {
      subject.send(element)
    }
    cancellable.cancel()
  }

  static func switchToSubject(_ count: Int, _ checksum: Checksum) {
    let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
    let cancellable = Publishers.SwitchToLatest(upstream: outer).sink { checksum.add($0) }
    let inner = PassthroughSubject<Int, Never>()
    outer.send(inner)
    for element in 0..<count {
      inner.send(element)
    }
    cancellable.cancel()
  }

  static func scanToCompactMap(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let scanned = Publishers.Scan(upstream: source, initialResult: 0) { $0 &+ ($1 & 1) }
    let distinct = Publishers.RemoveDuplicates(upstream: scanned) { $0 == $1 }
    let compacted = Publishers.CompactMap(upstream: distinct) { $0 & 3 == 0 ? nil : $0 }
    let cancellable = compacted.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func oneByOne(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { $0 &* 3 }
    mapped.subscribe(OneByOne(checksum))
  }

  static func twoErasures(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { $0 &* 3 }.eraseToAnyPublisher()
    let filtered = Publishers.Filter(upstream: mapped) { $0 & 1 == 0 }.eraseToAnyPublisher()
    let cancellable = filtered.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func flatMap(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let flattened = Publishers.FlatMap(upstream: source, maxPublishers: .unlimited) { Just($0 &* 3) }
    let cancellable = flattened.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func flatMapThousands(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count / 1000)
    let flattened = Publishers.FlatMap(upstream: source, maxPublishers: .unlimited) {
      Publishers.Sequence<Range<Int>, Never>(sequence: $0..<$0 &+ 1000)
    }
    let cancellable = flattened.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func switchToLatest(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { Just($0 &* 3) }
    let latest = Publishers.SwitchToLatest(upstream: mapped)
    let cancellable = latest.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func subjectMapSink(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let mapped = Publishers.Map(upstream: subject) { $0 &* 3 }
    let cancellable = mapped.sink { checksum.add($0) }
    for element in 0..<count {
      subject.send(element)
    }
    cancellable.cancel()
  }

  static func tenSubscribers(_ count: Int, _ checksum: Checksum) {
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

  static func currentValueSubject(_ count: Int, _ checksum: Checksum) {
    let subject = CurrentValueSubject<Int, Never>(-1)
    let cancellable = subject.sink { checksum.add($0) }
    for element in 0..<count {
      subject.send(element)
    }
    cancellable.cancel()
  }

  static func published(_ count: Int, _ checksum: Checksum) {
    let model = Model.make()
    let cancellable = model.$value.sink { checksum.add($0) }
    for element in 0..<count {
      model.value = element
    }
    cancellable.cancel()
  }

  static func objectWillChange(_ count: Int, _ checksum: Checksum) {
    let model = Model.make()
    var number = 0
    let cancellable = model.objectWillChange.sink {
      number &+= 1
      checksum.add(number)
    }
    for element in 0..<count {
      model.value = element
    }
    cancellable.cancel()
  }

  static func objectWillChangeSend(_ count: Int, _ checksum: Checksum) {
    let model = Model.make()
    var number = 0
    let cancellable = model.objectWillChange.sink {
      number &+= 1
      checksum.add(number)
    }
    for _ in 0..<count {
      model.objectWillChange.send()
    }
    cancellable.cancel()
  }

  static func share(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let shared = subject.share()
    let cancellables = (0..<4).map { _ in
      shared.sink { checksum.add($0) }
    }
    for element in 0..<count {
      subject.send(element)
    }
    for cancellable in cancellables {
      cancellable.cancel()
    }
  }

  static func zip(_ count: Int, _ checksum: Checksum) {
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

  #if !OPENCOMBINE
    static func combineLatest(_ count: Int, _ checksum: Checksum) {
      let first = PassthroughSubject<Int, Never>()
      let second = PassthroughSubject<Int, Never>()
      let combined = Publishers.CombineLatest(first, second)
      let cancellable = combined.sink { checksum.add($0 &+ $1) }
      for element in 0..<count / 2 {
        first.send(element)
        second.send(element &* 2)
      }
      cancellable.cancel()
    }

    static func merge(_ count: Int, _ checksum: Checksum) {
      let first = PassthroughSubject<Int, Never>()
      let second = PassthroughSubject<Int, Never>()
      let merged = Publishers.Merge(first, second)
      let cancellable = merged.sink { checksum.add($0) }
      for element in 0..<count / 2 {
        first.send(element)
        second.send(element &* 2)
      }
      cancellable.cancel()
    }
  #endif

  /// It returns when the last value has arrived.
  ///
  /// - Parameter afterAll: Whether the queue is suspended until all values are sent.
  static func receiveOn(_ count: Int, _ checksum: Checksum, afterAll: Bool = false) {
    let queue = DispatchQueue(label: "receiver")
    #if OPENCOMBINE
      let scheduler = queue.ocombine
    #else
      let scheduler = queue
    #endif
    let allArrived = DispatchSemaphore(value: 0)
    let subject = PassthroughSubject<Int, Never>()
    let received = Publishers.ReceiveOn(upstream: subject, scheduler: scheduler, options: nil)
    let cancellable = received.sink(
      receiveCompletion: { _ in allArrived.signal() },
      receiveValue: { checksum.add($0) }
    )
    if afterAll { queue.suspend() }
    for element in 0..<count {
      subject.send(element)
    }
    subject.send(completion: .finished)
    if afterAll { queue.resume() }
    allArrived.wait()
    cancellable.cancel()
  }

  static func values(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
      let mapped = Publishers.Map(upstream: source) { $0 &* 3 }
      for await element in mapped.values { checksum.add(element) }
    }
  }
}

private final class Model: ObservableObject {

  @Published var value = -1

  /// Not inlined, because the compiler knows neither all references to an app's object, nor when it is deallocated.
  @inline(never)
  static func make() -> Model { Model() }
}

/// A subscriber that requests one element first, and one more for each element.
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
