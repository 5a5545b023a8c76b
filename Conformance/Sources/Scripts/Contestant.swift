/// A library that plays scripts.
public struct Contestant: Sendable {

  public var name: String

  /// What it can play.
  public var profiles: [Profile]

  /// Plays a script, writes what happens into the trace, and returns which laws were broken.
  public var play: @Sendable (Script, Trace) -> [String]

  /// Uses up as many identifiers: a library may serve its subscribers in an order that comes from theirs.
  public var skipIdentifiers: @Sendable (Int) -> Void

  public init(
    name: String,
    profiles: [Profile],
    play: @escaping @Sendable (Script, Trace) -> [String],
    skipIdentifiers: @escaping @Sendable (Int) -> Void
  ) {
    self.name = name
    self.profiles = profiles
    self.play = play
    self.skipIdentifiers = skipIdentifiers
  }
}
