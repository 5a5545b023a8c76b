/// A piece of work that each contestant does in its own way, with the same outcome.
public enum Workload: String, CaseIterable, Sendable {
  case sequenceMapFilterSink = "sequence-map-filter-sink"
  case tenMaps = "ten-maps"
  case oneByOne = "one-by-one"
  case subjectMapSink = "subject-map-sink"
  case tenSubscribers = "ten-subscribers"
  case flatMap = "flat-map"
  case zip = "zip"
  case subscribeAndCancel = "subscribe-and-cancel"

  /// What it is called in a table.
  public var title: String {
    switch self {
    case .sequenceMapFilterSink: "sequence → map → filter → sink"
    case .tenMaps: "sequence → ten maps → sink"
    case .oneByOne: "sequence → map → one-by-one demand"
    case .subjectMapSink: "subject → map → sink"
    case .tenSubscribers: "subject → ten sinks"
    case .flatMap: "sequence → flatMap to Just → sink"
    case .zip: "two subjects → zip → sink"
    case .subscribeAndCancel: "Just → map → sink, then cancel"
    }
  }

  /// What is counted as one element.
  public var element: String {
    switch self {
    case .sequenceMapFilterSink, .tenMaps, .oneByOne: "an element of the sequence"
    case .subjectMapSink: "a value sent"
    case .tenSubscribers: "a value delivered to one of the ten"
    case .flatMap: "an element of the sequence, with the publisher that it is mapped to"
    case .zip: "a pair: a value sent on each side"
    case .subscribeAndCancel: "a subscription: publishers made, subscribed to, value received, cancelled"
    }
  }

  /// What a run makes subscriptions for.
  public enum Subscriptions: Sendable {

    /// So many are made in a run, however many elements there are.
    case perRun(Int)

    /// Each element is a subscription.
    case perElement
  }

  /// How many elements one run handles: so many that what a run does once does not show in the time of an element.
  public var elementsPerRun: Int { 50_000 }

  public var subscriptions: Subscriptions {
    switch self {
    case .tenSubscribers: .perRun(10)
    case .subscribeAndCancel: .perElement
    default: .perRun(1)
    }
  }
}
