/// A library that runs scripts.
public struct Contestant: Sendable {

  public var name: String

  /// The entries that it can run.
  public var profiles: [Profile]

  /// A closure that runs a script, writes its events into the trace, and returns the broken laws.
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
