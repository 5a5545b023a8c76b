import CombineCore

/// What is known about one recorded subscription.
///
/// `@unchecked Sendable`: the inspector's lock guards what changes.
@usableFromInline
final class Stage: @unchecked Sendable {

  let id: Int
  let origin: Origin
  let subscriber: String
  let subscriberID: CombineIdentifier

  /// Whether the subscriber is a part of an operator of this library, and not the end of a pipeline.
  let isOfOperator: Bool

  let created: ContinuousClock.Instant

  /// The check for leaks in which the subscription was made.
  let scope: LeakScope?

  /// The subscription into which the values of this one flow, if it was being made when this one was.
  let enclosing: Int?

  /// The subscription whose value was being delivered when this one was made.
  let startedBy: Int?

  // The following: only with the inspector's lock held.

  var name: String

  var demand = Subscribers.Demand.none
  var valueCount = 0
  var lastValue: String?
  var thread: Int

  /// Whether it has completed or was cancelled.
  var hasEnded = false

  /// The objects without which the subscription is no more: its two ends. A structure is none.
  private(set) var subscriberObject = WeakObject(nil)
  private(set) var upstreamEnd = WeakObject(nil)
  private(set) var subscriptionID: CombineIdentifier?

  init(
    id: Int,
    name: String,
    origin: Origin,
    subscriber: any Subscriber,
    thread: Int,
    scope: LeakScope?,
    recorder: AnyObject?,
    enclosing: Int?,
    startedBy: Int?
  ) {
    self.id = id
    self.name = name
    self.origin = origin
    self.subscriber = shortName(of: subscriber)
    subscriberID = subscriber.combineIdentifier
    let type = String(reflecting: Swift.type(of: subscriber))
    // A user's module may be called `CombineSomething`, so the whole name of the module counts.
    isOfOperator =
      Self.ownModules.contains(String(type.prefix { $0 != "." })) && !type.hasPrefix(Self.subscribers + ".")
    self.thread = thread
    self.scope = scope
    self.enclosing = enclosing
    self.startedBy = startedBy
    created = .now
    subscriberObject = WeakObject(subscriber)
    upstreamEnd = WeakObject(recorder)
  }

  /// The namespace, as the compiler names it. Its module has one name in the sources, and another one in texts on some systems.
  private static let subscribers = String(reflecting: Subscribers.self)

  private static let ownModules: Set = [
    String(subscribers.prefix { $0 != "." }), "CombineDispatch", "CombineFoundation", "CombineNetworking",
    "CombineExtras", "CombineTesting", "CombineInspection", "CombineJetStream", "CombineNIO",
  ]

  func setSubscription(_ subscription: any Subscription, _ id: CombineIdentifier) {
    upstreamEnd = WeakObject(subscription)
    subscriptionID = id
  }
}

/// How it is known where a stage was written.
@usableFromInline
enum Origin {

  /// It says so.
  case written(SourcePlace)

  /// The calls that led to the subscription show it.
  case called(Caller)

  case unknown

  var isWritten: Bool {
    if case .written = self { true } else { false }
  }

  /// The place. It may have to be looked up, which takes milliseconds.
  var place: SourcePlace? {
    switch self {
    case .written(let place): place
    case .called(let caller): caller.place
    case .unknown: nil
    }
  }

  /// The place if it is known by now. If not, another thread looks it up.
  var knownPlace: SourcePlace? {
    switch self {
    case .written(let place): place
    case .called(let caller): caller.knownPlace
    case .unknown: nil
    }
  }
}

/// A reference that does not keep its object alive, and knows whether there was one.
struct WeakObject {

  private weak var object: AnyObject?
  let id: ObjectIdentifier?

  init(_ value: Any?) {
    guard let value, type(of: value) is AnyClass else {
      id = nil
      return
    }
    let object = value as AnyObject
    self.object = object
    id = ObjectIdentifier(object)
  }

  /// Loads the object.
  ///
  /// - Parameter held: Takes the object. The caller releases it with no lock held, for it may be the last reference.
  /// - Returns: Whether the object is no more.
  func isGone(holding held: inout [AnyObject]) -> Bool {
    guard id != nil else { return false }
    guard let object else { return true }
    held.append(object)
    return false
  }
}

/// Returns a description without generic arguments, of at most forty characters.
func shortName(of value: Any) -> String {
  let text = value is any CustomStringConvertible ? "\(value)" : String(describing: type(of: value))
  return String(text.prefix { $0 != "<" && $0 != "\n" }.prefix(40))
}

/// Returns the name of a type without its generic arguments.
///
/// A type `Publisher` has the name of the type that it belongs to, such as `Published`.
func shortName(ofType type: Any.Type) -> String {
  let name = String(describing: type).prefix { $0 != "<" }
  guard name == "Publisher" else { return String(name) }
  var depth = 0
  var last: Character = " "
  let path = String(reflecting: type).filter { character in
    if character == "<" { depth += 1 }
    defer {
      // Not the end of an arrow.
      if character == ">", last != "-" { depth -= 1 }
      last = character
    }
    return depth == 0
  }
  return String(path.split(separator: ".").dropLast().last ?? name)
}
