/// The events of one pipeline: sends, requests and cancels in their order, including those inside callbacks.
///
/// A script knows no library. If it runs on two libraries, the two traces should be equal.
public struct Script: Hashable, Sendable {

  /// The name of the entry of the catalogue.
  public var entry: String

  /// The entry's numbers, such as a count, an interval or a choice.
  public var parameters: [Int]

  /// Whether the sources keep the protocol.
  public var manners: Manners

  /// The sources that send a subscriber its subscription only when an action says so.
  public var lateSources: Set<Int>

  /// The actions outside of callbacks, one after the other.
  public var steps: [Action]

  /// The actions inside callbacks.
  public var reactions: [Reaction]

  public init(
    entry: String,
    parameters: [Int] = [],
    manners: Manners = .lawful,
    lateSources: Set<Int> = [],
    steps: [Action] = [],
    reactions: [Reaction] = []
  ) {
    self.entry = entry
    self.parameters = parameters
    self.manners = manners
    self.lateSources = lateSources
    self.steps = steps
    self.reactions = reactions
  }
}

extension Script {

  /// The behaviour of a source.
  public enum Manners: Hashable, Sendable {

    /// A source sends nothing before its subscription, beyond demand, after its completion or after a cancel. An action
    /// that would do so has no effect. A subscriber requests at least one element at a time.
    case lawful

    /// A source sends every event it is told to send, and any demand may be requested.
    case lawless
  }

  /// An action of a script.
  public enum Action: Hashable, Sendable {

    /// A new subscriber with this number subscribes to the pipeline.
    case subscribe(Int)

    case request(subscriber: Int, Amount)
    case cancel(subscriber: Int)

    /// A source sends a value to one of its subscribers, selected by age: 0 is the newest.
    case send(source: Int, age: Int = 0, Int)
    case finish(source: Int, age: Int = 0)
    case fail(source: Int, age: Int = 0, Int)

    /// A source sends one of its subscribers a subscription: the first one for a late source, otherwise a further one.
    case greet(source: Int, age: Int = 0)

    /// The clock advances by a number of milliseconds, and the due actions run.
    case advance(Int)

    /// A connectable publisher is connected, or its latest connection is cancelled.
    case connect
    case disconnect
  }

  /// An amount of demand.
  public enum Amount: Hashable, Sendable, Comparable {
    case finite(Int)
    case unlimited

    public static let none = finite(0)
  }

  /// The actions inside one callback.
  public struct Reaction: Hashable, Sendable {

    public var cue: Cue
    public var actions: [Action]

    /// The demand that a subscriber returns from this callback, if it is the arrival of a value.
    public var returning: Amount

    public init(_ cue: Cue, _ actions: [Action], returning: Amount = .none) {
      self.cue = cue
      self.actions = actions
      self.returning = returning
    }
  }

  /// A callback, identified as the `count`-th of its kind for this actor, from 0.
  public enum Cue: Hashable, Sendable {

    /// A subscriber receives a subscription, a value or a completion.
    case subscription(subscriber: Int, count: Int)
    case value(subscriber: Int, count: Int)
    case completion(subscriber: Int, count: Int)

    /// A source is subscribed to (before it sends a subscription), receives a request, or is cancelled.
    case subscribed(source: Int, count: Int)
    case requested(source: Int, count: Int)
    case cancelled(source: Int, count: Int)

    /// A closure of the operator is called.
    case closure(count: Int)
  }
}
