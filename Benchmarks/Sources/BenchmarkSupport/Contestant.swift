/// Does each workload in its own way, with the same outcome.
public protocol Contestant {

  /// Does a workload from beginning to end: subscribes, handles so many elements, a multiple of a thousand, takes what
  /// comes out into the checksum, and lets go.
  typealias Work = (_ count: Int, _ checksum: Checksum) -> Void

  /// How this contestant does a workload; nothing where it has no equivalent.
  static func work(for workload: Workload) -> Work?

  /// A crowd without members, around one subject; nothing where there is no equivalent.
  static func makeCrowd() -> (any Crowd)?

  /// What threads send into together; nothing where there is no equivalent.
  ///
  /// What comes out is added to `sum`, by one thread at a time.
  static func makeJunction(_ kind: Junction, _ sum: Sum) -> Inlets?

  /// How this contestant adds one to each element so many times, one step after another; nothing where there is no
  /// equivalent of that length.
  static func chain(length: Int) -> Work?

  /// A subject with so many sinks; nothing where there is no equivalent.
  static func makeAudience(size: Int, _ checksum: Checksum) -> Inlets.Inlet?

  /// An operator over so many upstreams, to be asked for one value at a time; nothing where there is no equivalent.
  static func makeAsking(_ asked: Asked, amount: Int) -> Asking?
}

extension Contestant {

  public static func makeCrowd() -> (any Crowd)? { nil }
  public static func makeJunction(_ kind: Junction, _ sum: Sum) -> Inlets? { nil }
  public static func chain(length: Int) -> Work? { nil }
  public static func makeAudience(size: Int, _ checksum: Checksum) -> Inlets.Inlet? { nil }
  public static func makeAsking(_ asked: Asked, amount: Int) -> Asking? { nil }
}

/// Subscriptions to one subject that never sends.
public protocol Crowd: AnyObject {

  /// Makes room for so many members, which is not counted as theirs.
  func reserve(_ count: Int)

  /// Subscribes one more.
  func join()

  /// Cancels the member at an index, and lets go of it.
  func leave(_ index: Int)
}

/// What two threads send into at the same time.
public enum Junction: String, CaseIterable, Encodable, Sendable {
  case merge = "two-threads-merge"
  case subject = "two-threads-subject"

  /// What it is called in a table.
  public var title: String {
    switch self {
    case .merge: "two subjects → merge → sink, a thread at each"
    case .subject: "subject → sink, two threads at the subject"
    }
  }
}

/// Where each of two threads puts its values in, so many of them from a first one on.
///
/// `@unchecked`: the closures call nothing but what is made for being called by several threads.
public struct Inlets: @unchecked Sendable {

  public typealias Inlet = (_ values: Range<Int>) -> Void

  public let first: Inlet
  public let second: Inlet

  /// Keeps alive what the inlets lead to.
  private let owner: Any?

  public init(first: @escaping Inlet, second: @escaping Inlet, owner: Any? = nil) {
    self.first = first
    self.second = second
    self.owner = owner
  }
}
