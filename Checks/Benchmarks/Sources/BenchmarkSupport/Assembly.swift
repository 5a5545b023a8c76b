import Scripts

/// A pipeline of operators that were chosen at random, from integers to integers.
///
/// Each operator is erased, as the compiler cannot know what chance puts together. Some steps are several operators whose types
/// it knows.
public struct Assembly: Sendable {

  public enum Source: String, CaseIterable, Sendable {
    case sequence, array, passthroughSubject, currentValueSubject, published, deferredSequence
  }

  /// An operator, or some with known types. Those with a time use a scheduler whose time is virtual: a millisecond passes after each
  /// value that a subject sends.
  public enum Step: String, CaseIterable, Sendable {
    case map, filter, compactMap, scan, tryScan, removeDuplicates, replaceNil, replaceEmpty, replaceError, mapError
    case setFailureType, handleEvents, dropFirst, dropWhile, prefix, prefixWhile, output, ignoreNothing
    case catchNothing, tryCatchNothing, retry, append, prepend, zip, flatMap, flatMapOne, flatMapTwo, switchToLatest
    case collectAndFlatten, share, multicast, buffer, bufferByRequest, measureInterval, encodeAndDecode
    case receiveOn, subscribeOn, delay, debounce, throttle, timeout
    case receiveOnImmediate, receiveOnQueue, receiveOnSuspendedQueue, subscribeOnQueue
    case sevenMaps, mapFilterMap, scanRemoveDuplicatesCompactMap, tryMapReplaceError, zipMap, flatMapMap

    /// One value leaves it, at the end.
    case reduce, count, collect, last, max, first, contains, allSatisfy
  }

  public enum Asking: String, CaseIterable, Sendable {
    case unlimited, oneByOne, byRequest, inTens
  }

  public let source: Source
  public let steps: [Step]
  public let asking: Asking

  public init(_ source: Source, _ steps: [Step], _ asking: Asking) {
    self.source = source
    self.steps = steps
    self.asking = asking
  }

  /// The pipeline with a number among those of a seed.
  public init(seed: UInt64, number: Int) {
    var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(number))
    let source = Source.allCases.randomElement(using: &random)!
    // Half of them have three to six, as most of an app's.
    let length =
      Bool.random(using: &random) ? Int.random(in: 3...6, using: &random) : Int.random(in: 7...30, using: &random)
    var steps: [Step] = []
    while steps.count < length {
      let step = Step.allCases.randomElement(using: &random)!
      // A value or two are no workload for what follows.
      if step.hasOneValue && steps.count < length - 1 { continue }
      if let limit = step.limit, steps.count(where: { $0.limit != nil }) >= limit { continue }
      // The virtual time belongs to one thread.
      if step.usesQueue && steps.contains(where: \.usesClock) || step.usesClock && steps.contains(where: \.usesQueue) {
        continue
      }
      steps.append(step)
    }
    self.init(source, steps, Asking.allCases.randomElement(using: &random)!)
  }

  /// Each step alone, behind each source, for each kind of demand.
  public static let single = Source.allCases.flatMap { source in
    Step.allCases.flatMap { step in Asking.allCases.map { Assembly(source, [step], $0) } }
  }

  /// Whether more than one thread takes part.
  public var isConcurrent: Bool { steps.contains { $0.usesQueue } }
}

extension Assembly.Step {

  var hasOneValue: Bool {
    switch self {
    case .reduce, .count, .collect, .last, .max, .first, .contains, .allSatisfy: true
    default: false
    }
  }

  var usesQueue: Bool {
    switch self {
    case .receiveOnQueue, .receiveOnSuspendedQueue, .subscribeOnQueue: true
    default: false
    }
  }

  var usesClock: Bool {
    switch self {
    case .receiveOn, .subscribeOn, .delay, .debounce, .throttle, .timeout, .measureInterval: true
    default: false
    }
  }

  /// How many of its kind a pipeline has at most: of those that change the number of values a lot, and of those whose time is that
  /// of a queue.
  var limit: Int? {
    switch self {
    case .flatMapTwo, .debounce, .throttle: 2
    case .receiveOnQueue, .receiveOnSuspendedQueue, .subscribeOnQueue: 1
    default: nil
    }
  }
}

extension Assembly: CustomStringConvertible {

  public var description: String {
    ([source.rawValue] + steps.map(\.rawValue) + [asking.rawValue]).joined(separator: " → ")
  }
}
