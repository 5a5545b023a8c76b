/// A library or program that does each workload in a different way, with the same outcome.
public protocol Contestant {

  /// A workload from start to end. It subscribes, handles `count` elements (a multiple of a thousand), adds the output
  /// to the checksum, and releases everything.
  typealias Work = (_ count: Int, _ checksum: Checksum) -> Void

  /// Returns this contestant's form of a workload, or `nil` if it has no equivalent.
  static func work(for workload: Workload) -> Work?

  /// Returns an empty crowd around one subject, or `nil` if there is no equivalent.
  static func makeCrowd() -> (any Crowd)?

  /// Returns the work of a pipeline that was made at random, or `nil` if there is no equivalent.
  static func work(for assembly: Assembly) -> Work?

  /// Returns inlets that several threads can use at once, or `nil` if there is no equivalent.
  ///
  /// The output is added to `sum`, by one thread at a time.
  static func makeJunction(_ kind: Junction, _ sum: Sum) -> Inlets?

  /// Returns work that adds one to each element `length` times, in successive steps, or `nil` if there is no equivalent
  /// of that length.
  static func chain(length: Int) -> Work?

  /// Returns a subject with `size` sinks, or `nil` if there is no equivalent.
  static func makeAudience(size: Int, _ checksum: Checksum) -> Inlets.Inlet?

  /// Returns an operator with `amount` upstreams for requests of one value, or `nil` if there is no equivalent.
  static func makeAsking(_ asked: Asked, amount: Int) -> Asking?
}

extension Contestant {

  public static func makeCrowd() -> (any Crowd)? { nil }
  public static func work(for assembly: Assembly) -> Work? { nil }
  public static func makeJunction(_ kind: Junction, _ sum: Sum) -> Inlets? { nil }
  public static func chain(length: Int) -> Work? { nil }
  public static func makeAudience(size: Int, _ checksum: Checksum) -> Inlets.Inlet? { nil }
  public static func makeAsking(_ asked: Asked, amount: Int) -> Asking? { nil }
}

/// A number of subscriptions to one subject that never sends.
public protocol Crowd: AnyObject {

  /// Reserves space for a number of members. This memory is not counted as theirs.
  func reserve(_ count: Int)

  /// Adds one subscription.
  func join()

  /// Cancels the member at an index and releases it.
  func leave(_ index: Int)
}

/// A target into which two threads send at the same time.
public enum Junction: String, CaseIterable, Encodable, Sendable {
  case merge = "two-threads-merge"
  case subject = "two-threads-subject"

  /// The name in a table.
  public var title: String {
    switch self {
    case .merge: "two subjects → merge → sink, a thread at each"
    case .subject: "subject → sink, two threads at the subject"
    }
  }
}

/// The two closures through which two threads send a number of values, starting at a first one.
///
/// `@unchecked`: the closures call only functions that several threads may call.
public struct Inlets: @unchecked Sendable {

  public typealias Inlet = (_ values: Range<Int>) -> Void

  public let first: Inlet
  public let second: Inlet

  /// The object that keeps the targets of the inlets alive.
  private let owner: Any?

  public init(first: @escaping Inlet, second: @escaping Inlet, owner: Any? = nil) {
    self.first = first
    self.second = second
    self.owner = owner
  }
}
