/// A library that plays scripts.
public struct Contestant: Sendable {

  public var name: String

  /// What it can play.
  public var profiles: [Profile]

  /// Plays a script, writes what happens into the trace, and returns which laws were broken.
  public var play: @Sendable (Script, Trace) -> [String]

  public init(
    name: String,
    profiles: [Profile],
    play: @escaping @Sendable (Script, Trace) -> [String]
  ) {
    self.name = name
    self.profiles = profiles
    self.play = play
  }
}
