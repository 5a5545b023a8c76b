import BenchmarkSupport
import Dispatch

/// The limit: the cost of the same work in plain loops that call plain closures.
///
/// Each closure is called where the pipeline would call it. The compiler cannot see its content, just as with a closure
/// from elsewhere. Otherwise the first loop would shrink to a few vector instructions. These say nothing about the cost
/// of passing an element to the next operator.
public enum ByHand: Contestant {

  public static func work(for workload: Workload) -> Work? {
    switch workload {
    case .sequenceMapFilterSink, .twoErasures: sequenceMapFilterSink
    case .tenMaps, .tenMapsFused, .tenMapsAtOnce: tenMaps
    case .scanToCompactMap: scanToCompactMap
    case .oneByOne: oneByOne
    case .flatMap, .switchToLatest: flatMap
    case .flatMapThousands: flatMapThousands
    case .subjectMapSink: subjectMapSink
    case .tenSubscribers: tenSubscribers
    case .currentValueSubject: currentValueSubject
    case .published: published
    case .objectWillChange, .objectWillChangeSend: announcement
    case .share: share
    case .zip: zip
    case .combineLatest: combineLatest
    case .merge: merge
    case .subscribeAndCancel: subscribeAndCancel
    case .receiveOn: { receiveOn($0, $1) }
    case .receiveOnBacklog: { receiveOn($0, $1, afterAll: true) }
    case .debounce: debounce
    case .tenErasures: subjectOfTenMaps
    case .switchToSubject: subject
    case .subscribeToSubject: subscribeToSubject
    case .subscribeCrowd: subscribeCrowd
    case .future: future
    case .tryMapCatch: tryMapCatch
    case .values: values
    case .withLatest: withLatest
    case .replaySubject: replaySubject
    case .shareReplay: share
    case .flatMapLatest: flatMap
    case .groupBy: groupBy
    case .asyncMap: asyncMap
    case .inspectOff, .inspectOn: subjectMapSink
    }
  }

  static func sequenceMapFilterSink(_ count: Int, _ checksum: Checksum) {
    let transform: (Int) -> Int = opaque { $0 &* 3 }
    let isIncluded: (Int) -> Bool = opaque { $0 & 1 == 0 }
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    for element in 0..<count {
      let mapped = transform(element)
      if isIncluded(mapped) { sink(mapped) }
    }
  }

  static func tenMaps(_ count: Int, _ checksum: Checksum) {
    let map1: (Int) -> Int = opaque { $0 &+ 1 }
    let map2: (Int) -> Int = opaque { $0 ^ 2 }
    let map3: (Int) -> Int = opaque { $0 &+ 3 }
    let map4: (Int) -> Int = opaque { $0 ^ 4 }
    let map5: (Int) -> Int = opaque { $0 &+ 5 }
    let map6: (Int) -> Int = opaque { $0 ^ 6 }
    let map7: (Int) -> Int = opaque { $0 &+ 7 }
    let map8: (Int) -> Int = opaque { $0 ^ 8 }
    let map9: (Int) -> Int = opaque { $0 &+ 9 }
    let map10: (Int) -> Int = opaque { $0 ^ 10 }
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    for element in 0..<count {
      let half = map5(map4(map3(map2(map1(element)))))
      sink(map10(map9(map8(map7(map6(half))))))
    }
  }

  static func scanToCompactMap(_ count: Int, _ checksum: Checksum) {
    let accumulate: (Int, Int) -> Int = opaque { $0 &+ ($1 & 1) }
    let areEqual: (Int, Int) -> Bool = opaque { $0 == $1 }
    let transform: (Int) -> Int? = opaque { $0 & 3 == 0 ? nil : $0 }
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    var accumulated = 0
    var previous: Int?
    for element in 0..<count {
      accumulated = accumulate(accumulated, element)
      if let previous, areEqual(previous, accumulated) { continue }
      previous = accumulated
      if let transformed = transform(accumulated) { sink(transformed) }
    }
  }

  /// For each element, the sink returns the number of further elements that it requests.
  static func oneByOne(_ count: Int, _ checksum: Checksum) {
    let transform: (Int) -> Int = opaque { $0 &* 3 }
    let sink: (Int) -> Int = opaque {
      checksum.add($0)
      return 1
    }
    var rest = (0..<count).makeIterator()
    var demand = 1
    while demand > 0, let element = rest.next() {
      demand += sink(transform(element)) - 1
    }
  }

  static func subjectMapSink(_ count: Int, _ checksum: Checksum) {
    let transform: (Int) -> Int = opaque { $0 &* 3 }
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    let subject = opaque(HandSubject { opaque { sink(transform($0)) } })
    for element in 0..<count {
      subject.send(element)
    }
  }

  static func tenSubscribers(_ count: Int, _ checksum: Checksum) {
    let subject = opaque(HandSubject(count: 10) { opaque { checksum.add($0) } })
    for element in 0..<count / 10 {
      subject.send(element)
    }
  }

  static func flatMap(_ count: Int, _ checksum: Checksum) {
    let transform: (Int) -> CollectionOfOne<Int> = opaque { CollectionOfOne($0 &* 3) }
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    for element in 0..<count {
      for inner in transform(element) { sink(inner) }
    }
  }

  static func flatMapThousands(_ count: Int, _ checksum: Checksum) {
    let transform: (Int) -> Range<Int> = opaque { $0..<$0 &+ 1000 }
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    for element in 0..<count / 1000 {
      for inner in transform(element) { sink(inner) }
    }
  }

  static func currentValueSubject(_ count: Int, _ checksum: Checksum) {
    let value = opaque(HandValue(-1) { checksum.add($0) })
    for element in 0..<count {
      value.value = element
    }
  }

  static func published(_ count: Int, _ checksum: Checksum) {
    currentValueSubject(count, checksum)
  }

  static func announcement(_ count: Int, _ checksum: Checksum) {
    let subject = opaque(HandSubject { opaque { checksum.add($0) } })
    var number = 0
    for _ in 0..<count {
      number &+= 1
      subject.send(number)
    }
  }

  static func share(_ count: Int, _ checksum: Checksum) {
    let subject = opaque(HandSubject(count: 4) { opaque { checksum.add($0) } })
    for element in 0..<count {
      subject.send(element)
    }
  }

  static func zip(_ count: Int, _ checksum: Checksum) {
    let sink: (Int, Int) -> Void = opaque { checksum.add($0 &+ $1) }
    let pairs = opaque(HandPairs(sink))
    let first = opaque(HandSubject { opaque { pairs.receiveFirst($0) } })
    let second = opaque(HandSubject { opaque { pairs.receiveSecond($0) } })
    for element in 0..<count {
      first.send(element)
      second.send(element &* 2)
    }
  }

  static func combineLatest(_ count: Int, _ checksum: Checksum) {
    let sink: (Int, Int) -> Void = opaque { checksum.add($0 &+ $1) }
    let latest = opaque(HandLatest(sink))
    let first = opaque(HandSubject { opaque { latest.receiveFirst($0) } })
    let second = opaque(HandSubject { opaque { latest.receiveSecond($0) } })
    for element in 0..<count / 2 {
      first.send(element)
      second.send(element &* 2)
    }
  }

  static func merge(_ count: Int, _ checksum: Checksum) {
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    let first = opaque(HandSubject { sink })
    let second = opaque(HandSubject { sink })
    for element in 0..<count / 2 {
      first.send(element)
      second.send(element &* 2)
    }
  }

  static func subscribeAndCancel(_ count: Int, _ checksum: Checksum) {
    let transform: (Int) -> Int = opaque { $0 &* 3 }
    for element in 0..<count {
      let subscription = opaque(HandSubscription { checksum.add($0) })
      subscription.receive(transform(element))
      subscription.cancel()
    }
  }

  /// - Parameter afterAll: Whether the queue is suspended until all values are sent.
  static func receiveOn(_ count: Int, _ checksum: Checksum, afterAll: Bool = false) {
    let queue = DispatchQueue(label: "receiver")
    let sink = Receiver { checksum.add($0) }
    if afterAll { queue.suspend() }
    for element in 0..<count {
      queue.async { sink.receive(element) }
    }
    if afterAll { queue.resume() }
    queue.sync {}
  }

  /// Each value moves the end of the pause. None is published.
  static func debounce(_ count: Int, _ checksum: Checksum) {
    var latest = 0
    var deadline = DispatchTime.now()
    let receive: (Int) -> Void = opaque {
      latest = $0
      deadline = DispatchTime.now() + .seconds(10)
    }
    for element in 0..<count {
      receive(element)
    }
    if deadline > .now(), latest < count { checksum.add(count) }
  }

  static func subject(_ count: Int, _ checksum: Checksum) {
    let subject = opaque(HandSubject { opaque { checksum.add($0) } })
    for element in 0..<count {
      subject.send(element)
    }
  }

  static func subjectOfTenMaps(_ count: Int, _ checksum: Checksum) {
    var send: (Int) -> Void = opaque { checksum.add($0) }
    for stage in 1...10 {
      let next = send
      send = opaque { next($0 &+ stage) }
    }
    for element in 0..<count {
      send(element)
    }
  }

  static func subscribeToSubject(_ count: Int, _ checksum: Checksum) {
    var sinks: [Int: (Int) -> Void] = [:]
    for element in 0..<count {
      sinks[element] = opaque { checksum.add($0) }
      if element % 1000 == 0 { for sink in sinks.values { sink(element) } }
      sinks[element] = nil
    }
  }

  static func subscribeCrowd(_ count: Int, _ checksum: Checksum) {
    let size = min(count, 10_000)
    for _ in 0..<count / size {
      var sinks: [Int: (Int) -> Void] = [:]
      for member in 0..<size {
        let sink: (Int) -> Void = opaque { checksum.add($0) }
        sinks[member] = sink
        sink(1)
      }
      for member in 0..<size {
        sinks[member] = nil
      }
    }
  }

  static func future(_ count: Int, _ checksum: Checksum) {
    for element in 0..<count {
      let transform: (Int) -> Int = opaque { $0 &* 3 }
      let sink: (Int) -> Void = opaque { checksum.add($0) }
      sink(transform(element))
    }
  }

  static func tryMapCatch(_ count: Int, _ checksum: Checksum) {
    struct Refusal: Error {}
    for element in 0..<count {
      let isAccepted: (Int) -> Bool = opaque { _ in false }
      let sink: (Int) -> Void = opaque { checksum.add($0) }
      do {
        guard isAccepted(element) else { throw Refusal() }
        sink(element)
      } catch {
        sink(element &* 3)
      }
    }
  }

  static func values(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let transform: (Int) -> Int = opaque { $0 &* 3 }
      for await element in HandSequence(elements: 0..<count) { checksum.add(transform(element)) }
    }
  }

  static func withLatest(_ count: Int, _ checksum: Checksum) {
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    var latest = 0
    let other = opaque(HandSubject { opaque { latest = $0 } })
    let source = opaque(HandSubject { opaque { sink($0 &+ latest) } })
    for element in 0..<count {
      if element % 10 == 0 { other.send(element) }
      source.send(element)
    }
  }

  static func replaySubject(_ count: Int, _ checksum: Checksum) {
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    var latest = 0
    let subject = opaque(
      HandSubject {
        opaque {
          latest = $0
          sink(latest)
        }
      }
    )
    for element in 0..<count { subject.send(element) }
  }

  static func groupBy(_ count: Int, _ checksum: Checksum) {
    let sink: (Int) -> Void = opaque { checksum.add($0) }
    let key: (Int) -> Int = opaque { $0 % 10 }
    var groups: [Int: HandSubject] = [:]
    let subject = opaque(
      HandSubject {
        opaque { element in
          let key = key(element)
          let group = groups[key] ?? HandSubject { sink }
          groups[key] = group
          group.send(element)
        }
      }
    )
    for element in 0..<count { subject.send(element) }
  }

  static func asyncMap(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let transform: (Int) async -> Int = opaque { $0 &* 3 }
      for element in 0..<count { checksum.add(await transform(element)) }
    }
  }
}
