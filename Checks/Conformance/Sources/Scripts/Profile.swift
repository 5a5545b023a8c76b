/// The properties of an entry of the catalogue that are needed to write scripts for it.
public struct Profile: Hashable, Sendable {

  public var name: String

  /// The number of sources from which a script can send.
  public var sourceCount: Int

  /// The range of each of the entry's numbers.
  public var parameters: [ClosedRange<Int>]

  /// The maximum number of subscribers in a script.
  public var subscriberCount: Int

  public var traits: Traits

  public struct Traits: OptionSet, Hashable, Sendable {

    public var rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The entry depends on the clock.
    public static let timed = Self(rawValue: 1)

    /// The entry is connectable.
    public static let connectable = Self(rawValue: 2)

    /// The entry calls a closure.
    public static let closures = Self(rawValue: 4)

    /// The entry cannot fail, so no failure is sent to it.
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
