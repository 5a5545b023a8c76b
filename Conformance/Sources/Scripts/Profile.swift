/// What one must know of an entry of the catalogue to write scripts for it.
public struct Profile: Hashable, Sendable {

  public var name: String

  /// How many sources it has that a script can send from.
  public var sourceCount: Int

  /// The range of each of its numbers.
  public var parameters: [ClosedRange<Int>]

  /// How many subscribers a script attaches at most.
  public var subscriberCount: Int

  public var traits: Traits

  public struct Traits: OptionSet, Hashable, Sendable {

    public var rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// It has to do with the clock.
    public static let timed = Self(rawValue: 1)

    /// It is connectable.
    public static let connectable = Self(rawValue: 2)

    /// It calls a closure.
    public static let closures = Self(rawValue: 4)

    /// It does not fail: no failure is sent to it.
    public static let infallible = Self(rawValue: 8)
  }

  public init(
    name: String,
    sourceCount: Int = 1,
    parameters: [ClosedRange<Int>] = [],
    subscriberCount: Int = 1,
    traits: Traits = []
  ) {
    self.name = name
    self.sourceCount = sourceCount
    self.parameters = parameters
    self.subscriberCount = subscriberCount
    self.traits = traits
  }
}
