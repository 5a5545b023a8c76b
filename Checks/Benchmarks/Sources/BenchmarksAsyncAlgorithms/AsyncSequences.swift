import AsyncAlgorithms
import BenchmarkSupport

/// Asynchronous sequences: the standard library's operators, and those of swift-async-algorithms.
///
/// A consumer pulls from them, whereas a publisher pushes. One task does both: it yields a value to a stream, as `send`
/// sends one to a subject, and awaits the result at the end. So no value waits in a buffer, and no element costs a
/// switch of threads.
public enum AsyncSequences: Contestant {

  public static func work(for workload: Workload) -> Work? {
    switch workload {
    case .sequenceMapFilterSink: sequenceMapFilterSink
    case .tenMaps, .tenMapsFused, .tenMapsAtOnce: tenMaps
    case .scanToCompactMap: scanToCompactMap
    case .oneByOne, .values: map
    case .flatMap: flatMap
    case .flatMapThousands: flatMapThousands
    case .subjectMapSink: streamMap
    case .zip: zip
    case .combineLatest: combineLatest
    case .merge: merge
    case .subscribeAndCancel: subscribeAndCancel
    // Asynchronous sequences have one consumer, no current value and no scheduler. Which elements `flatMapLatest` drops
    // depends on the order of threads. An erased sequence, `any AsyncSequence`, is not a separate stage.
    case .twoErasures, .switchToLatest, .tenSubscribers, .currentValueSubject, .published, .share: nil
    case .objectWillChange, .objectWillChangeSend: nil
    case .receiveOn, .receiveOnBacklog, .debounce: nil
    case .tenErasures, .switchToSubject, .subscribeToSubject, .subscribeCrowd, .future, .tryMapCatch: nil
    case .asyncMap: asyncMap
    // An asynchronous sequence is pulled, so it has neither a latest value nor groups of several consumers.
    case .withLatest, .replaySubject, .shareReplay, .flatMapLatest, .groupBy: nil
    case .inspectOff, .inspectOn: nil
    }
  }

  static func asyncMap(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let transform: @Sendable (Int) async -> Int = { $0 &* 3 }
      for await element in (0..<count).async.map(transform) { checksum.add(element) }
    }
  }

  static func sequenceMapFilterSink(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      for await element in (0..<count).async.map({ $0 &* 3 }).filter({ $0 & 1 == 0 }) { checksum.add(element) }
    }
  }

  static func tenMaps(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let first = (0..<count).async.map { $0 &+ 1 }.map { $0 ^ 2 }.map { $0 &+ 3 }.map { $0 ^ 4 }.map { $0 &+ 5 }
      let second = first.map { $0 ^ 6 }.map { $0 &+ 7 }.map { $0 ^ 8 }.map { $0 &+ 9 }.map { $0 ^ 10 }
      for await element in second { checksum.add(element) }
    }
  }

  static func scanToCompactMap(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let scanned = (0..<count).async.reductions(0) { $0 &+ ($1 & 1) }
      let compacted = scanned.removeDuplicates().compactMap { $0 & 3 == 0 ? nil : $0 }
      for await element in compacted { checksum.add(element) }
    }
  }

  static func map(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      for await element in (0..<count).async.map({ $0 &* 3 }) { checksum.add(element) }
    }
  }

  static func flatMap(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      for await element in (0..<count).async.flatMap({ CollectionOfOne($0 &* 3).async }) { checksum.add(element) }
    }
  }

  static func flatMapThousands(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      for await element in (0..<count / 1000).async.flatMap({ ($0..<$0 &+ 1000).async }) { checksum.add(element) }
    }
  }

  static func streamMap(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let (stream, input) = AsyncStream.makeStream(of: Int.self)
      var iterator = stream.map { $0 &* 3 }.makeAsyncIterator()
      for element in 0..<count {
        input.yield(element)
        if let output = await iterator.next() { checksum.add(output) }
      }
    }
  }

  static func zip(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let (firsts, first) = AsyncStream.makeStream(of: Int.self)
      let (seconds, second) = AsyncStream.makeStream(of: Int.self)
      var iterator = AsyncAlgorithms.zip(firsts, seconds).makeAsyncIterator()
      for element in 0..<count {
        first.yield(element)
        second.yield(element &* 2)
        if let output = await iterator.next() { checksum.add(output.0 &+ output.1) }
      }
    }
  }

  static func combineLatest(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let (firsts, first) = AsyncStream.makeStream(of: Int.self)
      let (seconds, second) = AsyncStream.makeStream(of: Int.self)
      var iterator = AsyncAlgorithms.combineLatest(firsts, seconds).makeAsyncIterator()
      for element in 0..<count / 2 {
        first.yield(element)
        // There is no output until both inputs have an element.
        if element > 0, let output = await iterator.next() { checksum.add(output.0 &+ output.1) }
        second.yield(element &* 2)
        if let output = await iterator.next() { checksum.add(output.0 &+ output.1) }
      }
    }
  }

  static func merge(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      let (firsts, first) = AsyncStream.makeStream(of: Int.self)
      let (seconds, second) = AsyncStream.makeStream(of: Int.self)
      var iterator = AsyncAlgorithms.merge(firsts, seconds).makeAsyncIterator()
      for element in 0..<count / 2 {
        first.yield(element)
        if let output = await iterator.next() { checksum.add(output) }
        second.yield(element &* 2)
        if let output = await iterator.next() { checksum.add(output) }
      }
    }
  }

  static func subscribeAndCancel(_ count: Int, _ checksum: Checksum) {
    waitForTask {
      for element in 0..<count {
        for await output in CollectionOfOne(element).async.map({ $0 &* 3 }) { checksum.add(output) }
      }
    }
  }
}
