/// What happens to one pipeline: who sends, requests and cancels what, in which order, and from inside which callback.
///
/// A script knows no library. Played twice, against two libraries, it gives two traces that ought to be equal.
public struct Script: Hashable, Sendable {

  /// The entry of the catalogue that is played.
  public var entry: String

  /// The entry's numbers: a count, an interval, a choice.
  public var parameters: [Int]

  /// Whether the sources keep the protocol.
  public var manners: Manners

  /// The sources that give a subscriber its subscription only when an action says so.
  public var lateSources: Set<Int>

  /// What happens from outside, one after the other.
  public var steps: [Action]

  /// What happens from inside callbacks.
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

  /// How a source behaves.
  public enum Manners: Hashable, Sendable {

    /// It sends nothing before its subscription, beyond demand, after its completion or after a cancel. An action that
    /// would does nothing. A subscriber requests at least one element at a time.
    case lawful

    /// It sends what it is told, and anything may be requested.
    case lawless
  }

  /// What somebody does.
  public enum Action: Hashable, Sendable {

    /// A new subscriber with this number is attached to the pipeline.
    case subscribe(Int)

    case request(subscriber: Int, Amount)
    case cancel(subscriber: Int)

    /// A source sends to one of its subscribers, by age: 0 is the newest.
    case send(source: Int, age: Int = 0, Int)
    case finish(source: Int, age: Int = 0)
    case fail(source: Int, age: Int = 0, Int)

    /// A source gives one of its subscribers a subscription: a late one its first, another a further one.
    case greet(source: Int, age: Int = 0)

    /// The clock moves, and what becomes due is run. In milliseconds.
    case advance(Int)

    /// A connectable publisher is connected, or its last connection cancelled.
    case connect
    case disconnect
  }

  /// An amount of demand.
  public enum Amount: Hashable, Sendable, Comparable {
    case finite(Int)
    case unlimited

    public static let none = finite(0)
  }

  /// What is done from inside one callback.
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

  /// A callback: the `count`-th of its kind for this actor, from 0.
  public enum Cue: Hashable, Sendable {

    /// A subscriber gets a subscription, a value or a completion.
    case subscription(subscriber: Int, count: Int)
    case value(subscriber: Int, count: Int)
    case completion(subscriber: Int, count: Int)

    /// A source is subscribed to (before it gives a subscription), is asked for values, is cancelled.
    case subscribed(source: Int, count: Int)
    case requested(source: Int, count: Int)
    case cancelled(source: Int, count: Int)

    /// A closure that the operator was given is called.
    case closure(count: Int)
  }
}
