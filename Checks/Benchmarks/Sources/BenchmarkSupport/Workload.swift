/// Work that each contestant does in a different way, with the same outcome.
public enum Workload: String, CaseIterable, Sendable {
  case sequenceMapFilterSink = "sequence-map-filter-sink"
  case tenMaps = "ten-maps"
  case tenMapsFused = "ten-maps-fused"
  case tenMapsAtOnce = "ten-maps-at-once"
  case scanToCompactMap = "scan-to-compact-map"
  case oneByOne = "one-by-one"
  case twoErasures = "two-erasures"
  case tenErasures = "ten-erasures"
  case flatMap = "flat-map"
  case flatMapThousands = "flat-map-thousands"
  case switchToLatest = "switch-to-latest"
  case switchToSubject = "switch-to-subject"
  case subjectMapSink = "subject-map-sink"
  case tenSubscribers = "ten-subscribers"
  case currentValueSubject = "current-value-subject"
  case published = "published"
  case objectWillChange = "object-will-change"
  case objectWillChangeSend = "object-will-change-send"
  case share = "share"
  case zip = "zip"
  case combineLatest = "combine-latest"
  case merge = "merge"
  case subscribeAndCancel = "subscribe-and-cancel"
  case subscribeToSubject = "subscribe-to-subject"
  case subscribeCrowd = "subscribe-crowd"
  case future = "future"
  case tryMapCatch = "try-map-catch"
  case receiveOn = "receive-on"
  case receiveOnBacklog = "receive-on-backlog"
  case debounce = "debounce"
  case values = "values"

  // Operators of CombineExtras, for which others compose Combine's own.
  case withLatest = "with-latest"
  case replaySubject = "replay-subject"
  case shareReplay = "share-replay"
  case flatMapLatest = "flat-map-latest"
  case groupBy = "group-by"
  case asyncMap = "async-map"

  // The stages of CombineInspection.
  case inspectOff = "inspect-off"
  case inspectOn = "inspect-on"
}

extension Workload {

  /// The properties of a workload.
  public struct Definition: Sendable {

    /// The name in a table.
    public var title: String

    /// The meaning of one element.
    public var element: String

    /// The number of subscriptions that a run makes.
    public var subscriptions = Subscriptions.perRun(1)

    /// The speed that this package promises.
    public var floor: Floor?

    /// The number of allocations that this package may make for an element.
    public var allocations = Allocations.atMost(0)

    /// Whether more than one thread takes part, for every contestant.
    public var isConcurrent = false
  }

  /// The number of subscriptions that a run makes.
  public enum Subscriptions: Sendable {

    /// A run makes this number of subscriptions, whatever the number of elements is.
    case perRun(Int)

    /// Each element is a subscription.
    case perElement
  }

  /// The lowest speed that this package promises.
  public enum Floor: Sendable {

    /// A factor by which this package is faster than OpenCombine.
    ///
    /// A row that takes at most `orByHand` times its time by hand passes whatever the ratio is, because that time is the limit.
    case openCombine(Double, orByHand: Double? = nil)

    /// A factor of the time by hand, which this package does not exceed. It is for workloads that OpenCombine does not
    /// have.
    case byHand(Double)

    /// A factor of the time that the composition of Combine's own operators takes, which this package does not exceed.
    case composed(Double)

    /// The part of a promised speed at which the guard fails. Ratios of times differ by a fifth from one processor to another.
    public static let guarded = 0.75
  }

  /// The number of allocations that this package may make for an element.
  public enum Allocations: Sendable {

    /// At most this number of blocks, including the amortized ones of a growing buffer.
    case atMost(Double)

    /// At most as many blocks as the scheduler needs, which the hand-written equivalent shows.
    case asByHand

    /// At most as many blocks as the composition of Combine's own operators makes.
    case asComposed
  }

  /// The lowest factor by which a debug build of this package is faster than one of OpenCombine; below one if it is slower.
  /// It is `nil` for what is not Combine's, and for what OpenCombine lacks.
  public var debugFloor: Double? {
    switch self {
    case .sequenceMapFilterSink, .tenMaps, .scanToCompactMap: 1.6
    case .tenMapsFused: 2
    case .oneByOne, .twoErasures: 1.3
    case .tenMapsAtOnce: 1.1
    case .flatMap, .flatMapThousands, .switchToLatest: 1.25
    case .tenErasures: 0.9
    case .tenSubscribers: 1.5
    case .share: 1.05
    case .subscribeToSubject, .subscribeAndCancel, .subjectMapSink, .published: 1
    case .currentValueSubject, .switchToSubject: 0.95
    case .objectWillChange, .tryMapCatch: 0.75
    case .future: 1.3
    case .objectWillChangeSend: 3
    case .zip: 2.8
    case .values: 1.05
    case .receiveOnBacklog: 0.7
    case .subscribeCrowd: 6
    case .receiveOn: 0.3
    case .debounce: 2.5
    case .combineLatest, .merge: nil
    case .withLatest, .replaySubject, .shareReplay, .flatMapLatest, .groupBy, .asyncMap, .inspectOff, .inspectOn: nil
    }
  }

  /// The number of elements in one run. It is large enough to make the fixed cost of a run negligible.
  public static let elementsPerRun = 50_000

  public var definition: Definition {
    switch self {
    case .sequenceMapFilterSink:
      Definition(title: "sequence → map → filter → sink", element: elementOfSequence, floor: .openCombine(25))
    case .tenMaps:
      Definition(
        title: "sequence → ten maps → sink",
        element: elementOfSequence,
        floor: .openCombine(25, orByHand: 1.15)
      )
    case .tenMapsFused:
      Definition(
        title: "sequence → ten maps, fused → sink",
        element: elementOfSequence,
        floor: .openCombine(25)
      )
    case .tenMapsAtOnce:
      Definition(
        title: "sequence → ten maps, at once → sink",
        element: elementOfSequence,
        floor: .openCombine(25)
      )
    case .scanToCompactMap:
      Definition(
        title: "sequence → scan → removeDuplicates → compactMap → sink",
        element: elementOfSequence,
        floor: .openCombine(20)
      )
    case .oneByOne:
      Definition(title: "sequence → map → one-by-one demand", element: elementOfSequence, floor: .openCombine(25))
    case .twoErasures:
      Definition(
        title: "sequence → map → erased → filter → erased → sink",
        element: elementOfSequence,
        floor: .openCombine(10)
      )
    case .tenErasures:
      Definition(title: "subject → ten maps, each erased → sink", element: valueSent, floor: .openCombine(5))
    case .flatMap:
      Definition(
        title: "sequence → flatMap to Just → sink",
        element: "an element of the sequence, with the publisher that it is mapped to",
        floor: .openCombine(20)
      )
    case .flatMapThousands:
      Definition(
        title: "sequence → flatMap to sequences of 1000 → sink",
        element: "an element of one of the inner sequences",
        floor: .openCombine(30),
        allocations: .atMost(1.0 / 1000)
      )
    case .switchToLatest:
      Definition(
        title: "sequence → map to Just → switchToLatest → sink",
        element: "an element of the sequence, with the publisher that it is mapped to",
        floor: .openCombine(12)
      )
    case .switchToSubject:
      Definition(
        title: "subject of a subject → switchToLatest → sink",
        element: "a value of the inner subject",
        floor: .openCombine(5)
      )
    case .subjectMapSink:
      Definition(title: "subject → map → sink", element: valueSent, floor: .openCombine(5))
    case .tenSubscribers:
      Definition(
        title: "subject → ten sinks",
        element: "a value delivered to one of the ten",
        subscriptions: .perRun(10),
        floor: .openCombine(9)
      )
    case .currentValueSubject:
      Definition(title: "CurrentValueSubject → sink", element: valueSent, floor: .openCombine(4.5))
    case .published:
      Definition(title: "@Published property → sink", element: "a value that is set", floor: .openCombine(5))
    case .objectWillChange:
      Definition(
        title: "@Published property → objectWillChange → sink",
        element: "a value that is set",
        floor: .openCombine(5)
      )
    case .objectWillChangeSend:
      Definition(title: "objectWillChange.send() → sink", element: "an announcement", floor: .openCombine(25))
    case .share:
      Definition(
        title: "subject → share → four sinks",
        element: "a value sent, delivered to all four",
        subscriptions: .perRun(4),
        floor: .openCombine(10)
      )
    case .zip:
      Definition(
        title: "two subjects → zip → sink",
        element: "a pair: a value sent on each side",
        floor: .openCombine(15)
      )
    case .combineLatest:
      Definition(title: "two subjects → combineLatest → sink", element: valueSent, floor: .byHand(20))
    case .merge:
      Definition(title: "two subjects → merge → sink", element: valueSent, floor: .byHand(20))
    case .subscribeAndCancel:
      Definition(
        title: "Just → map → sink, then cancel",
        element: "a subscription: publishers made, subscribed to, value received, cancelled",
        subscriptions: .perElement,
        floor: .openCombine(7)
      )
    case .subscribeToSubject:
      Definition(
        title: "subject → sink, then cancel",
        element: "a subscription of one subject",
        subscriptions: .perElement,
        floor: .openCombine(3.8)
      )
    case .subscribeCrowd:
      Definition(
        title: "CurrentValueSubject → 10,000 sinks, then cancel",
        element: "a subscription of one subject, which stays until the last",
        subscriptions: .perElement,
        floor: .openCombine(3.7)
      )
    case .future:
      Definition(
        title: "Future → map → sink",
        element: "a future that is fulfilled at once, with its subscription",
        subscriptions: .perElement,
        floor: .openCombine(5)
      )
    case .tryMapCatch:
      Definition(
        title: "Just → tryMap → catch → sink",
        element: "a subscription whose transform throws",
        subscriptions: .perElement,
        floor: .openCombine(4)
      )
    case .receiveOn:
      Definition(
        title: "subject → receive(on: serial queue) → sink",
        element: valueSent,
        floor: .openCombine(1.3, orByHand: 1.3),
        allocations: .asByHand,
        isConcurrent: true
      )
    case .receiveOnBacklog:
      Definition(
        title: "subject → receive(on: suspended queue) → sink",
        element: valueSent,
        floor: .openCombine(1.3),
        allocations: .asByHand,
        isConcurrent: true
      )
    case .debounce:
      Definition(
        title: "subject → debounce(10 s, queue) → sink, without a pause",
        element: valueSent,
        floor: .openCombine(25),
        isConcurrent: true
      )
    case .values:
      Definition(
        title: "sequence → map → values, for await",
        element: elementOfSequence,
        floor: .openCombine(4.5),
        isConcurrent: true
      )
    case .withLatest:
      Definition(
        title: "subject → withLatest(of: subject) → sink",
        element: "a value sent, with a tenth of a value of the other subject",
        floor: .composed(0.9),
        allocations: .asComposed
      )
    case .replaySubject:
      Definition(
        title: "ReplaySubject(replaying: 1) → sink",
        element: valueSent,
        floor: .composed(2.6),
        allocations: .asComposed
      )
    case .shareReplay:
      Definition(
        title: "subject → share(replay: 1) → four sinks",
        element: "a value sent, delivered to all four",
        subscriptions: .perRun(4),
        floor: .composed(2.2),
        allocations: .asComposed
      )
    case .flatMapLatest:
      Definition(
        title: "sequence → flatMapLatest to Just → sink",
        element: "an element of the sequence, with the publisher that it is mapped to",
        floor: .composed(1.2),
        allocations: .asComposed
      )
    case .groupBy:
      Definition(
        title: "subject → groupBy, ten groups → flatMap → sink",
        element: valueSent,
        floor: .composed(2.2),
        allocations: .asComposed
      )
    case .asyncMap:
      Definition(
        title: "sequence → asyncMap → sink",
        element: elementOfSequence,
        floor: .composed(0.35),
        allocations: .asComposed,
        isConcurrent: true
      )
    case .inspectOff:
      Definition(
        title: "subject → inspect → map → inspect → sink, inspection off",
        element: valueSent,
        floor: .composed(1.3),
        allocations: .asComposed
      )
    case .inspectOn:
      Definition(
        title: "subject → inspect → map → inspect → sink, inspection on",
        element: valueSent,
        floor: .composed(2.2),
        allocations: .asComposed
      )
    }
  }

  /// Whether other contestants compose what this package has an operator for.
  public var isComposed: Bool {
    if case .composed = definition.floor { true } else { false }
  }

  private var elementOfSequence: String { "an element of the sequence" }
  private var valueSent: String { "a value sent" }
}
