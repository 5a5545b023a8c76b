/// A generator of random scripts. The same seed and number always give the same script.
public struct Generator: Sendable {

  public var seed: UInt64
  public var profiles: [Profile]

  public init(seed: UInt64, profiles: [Profile]) {
    self.seed = seed
    self.profiles = profiles
  }

  /// Returns the script with a number. The numbers go through all entries in turn.
  public func script(_ number: Int) -> Script {
    var mixer = SplitMix64(seed: seed)
    let random = SplitMix64(seed: mixer.next() ^ (UInt64(truncatingIfNeeded: number) &* 0xd134_2543_de82_ef95))
    var author = Author(profile: profiles[number % profiles.count], random: random)
    return author.write()
  }
}

/// The author of one script.
private struct Author {

  let profile: Profile
  var random: SplitMix64
  var manners = Script.Manners.lawful

  mutating func write() -> Script {
    manners = chance(0.7) ? .lawful : .lawless
    let lateSources = Set((0..<profile.sourceCount).filter { _ in chance(0.12) })
    return Script(
      entry: profile.name,
      parameters: profile.parameters.map { random.number(in: $0) },
      manners: manners,
      lateSources: lateSources,
      steps: steps(lateSources),
      reactions: reactions(lateSources)
    )
  }

  private mutating func steps(_ lateSources: Set<Int>) -> [Script.Action] {
    var steps = (0..<random.number(in: 2...14)).map { _ in action(lateSources) }
    if profile.traits.contains(.timed) {
      // The effect of time on the last events is visible only if time continues.
      steps.append(.advance(random.number(in: 1...60)))
    }
    // Subscribers that share a publisher should often be subscribed at the same time.
    for other in 1..<max(profile.subscriberCount, 1) where chance(0.6) {
      steps.insert(.subscribe(other), at: random.number(in: 0...min(3, steps.count)))
    }
    steps.insert(.subscribe(0), at: chance(0.9) ? 0 : random.number(in: 0...min(3, steps.count)))
    return steps
  }

  private mutating func reactions(_ lateSources: Set<Int>) -> [Script.Reaction] {
    var reactions: [Script.Reaction] = []
    for subscriber in 0..<profile.subscriberCount where chance(0.85) {
      var actions: [Script.Action] = [.request(subscriber: subscriber, amount())]
      if chance(0.08) { actions.insert(action(lateSources), at: random.number(in: 0...1)) }
      reactions.append(Script.Reaction(.subscription(subscriber: subscriber, count: 0), actions))
    }
    for subscriber in 0..<profile.subscriberCount where chance(0.4) {
      for count in 0..<random.number(in: 1...6) where chance(0.5) {
        reactions.append(Script.Reaction(.value(subscriber: subscriber, count: count), [], returning: amount()))
      }
    }
    for _ in 0..<random.number(in: 0...4) {
      let cue = cue()
      let actions = (0..<random.number(in: 1...2)).map { _ in action(lateSources) }
      if let index = reactions.firstIndex(where: { $0.cue == cue }) {
        reactions[index].actions += actions
      } else {
        reactions.append(Script.Reaction(cue, actions))
      }
    }
    return reactions
  }

  private mutating func action(_ lateSources: Set<Int>) -> Script.Action {
    let isMany = profile.subscriberCount > 1
    let isTimed = profile.traits.contains(.timed)
    let isConnectable = profile.traits.contains(.connectable)
    let hasSources = profile.sourceCount > 0
    let choices: [(Int, Choice)] = [
      (hasSources ? 45 : 0, .send), (15, .request), (5, .cancel),
      (hasSources ? 7 : 0, .finish), (hasSources && !profile.traits.contains(.infallible) ? 5 : 0, .fail),
      (!hasSources ? 0 : lateSources.isEmpty ? (manners == .lawless ? 3 : 0) : 10, .greet),
      (isTimed ? 22 : 0, .advance), (isMany ? 10 : 0, .subscribe),
      (isConnectable ? 10 : 0, .connect), (isConnectable ? 4 : 0, .disconnect),
    ]
    switch pick(choices) {
    case .send: return .send(source: source(), age: age(), random.number(in: 0...9))
    case .finish: return .finish(source: source(), age: age())
    case .fail: return .fail(source: source(), age: age(), random.number(in: 0...3))
    case .greet: return .greet(source: anyOf(lateSources) ?? source(), age: age())
    case .request: return .request(subscriber: subscriber(), amount())
    case .cancel: return .cancel(subscriber: subscriber())
    case .subscribe: return .subscribe(subscriber())
    // Often a multiple of the intervals, so that several actions become due at the same time.
    case .advance:
      return .advance(chance(0.5) ? 5 * random.number(in: 1...4) : random.number(in: 1...25))
    case .connect: return .connect
    case .disconnect: return .disconnect
    }
  }

  private enum Choice {
    case send, finish, fail, greet, request, cancel, subscribe, advance, connect, disconnect
  }

  private mutating func cue() -> Script.Cue {
    let count = chance(0.6) ? 0 : random.number(in: 0...3)
    let choices: [(Int, Script.Cue)] = [
      (30, .value(subscriber: subscriber(), count: count)),
      (8, .completion(subscriber: subscriber(), count: chance(0.9) ? 0 : 1)),
      (4, .subscription(subscriber: subscriber(), count: chance(0.9) ? 0 : 1)),
      (profile.sourceCount > 0 ? 5 : 0, .subscribed(source: source(), count: count)),
      (profile.sourceCount > 0 ? 20 : 0, .requested(source: source(), count: count)),
      (profile.sourceCount > 0 ? 8 : 0, .cancelled(source: source(), count: count)),
      (profile.traits.contains(.closures) ? 15 : 0, .closure(count: count)),
    ]
    return pick(choices)
  }

  private mutating func amount() -> Script.Amount {
    switch random.number(in: 0..<100) {
    case ..<30: .unlimited
    case ..<60: .finite(1)
    case ..<78: .finite(2)
    case ..<98: .finite(random.number(in: 3...6))
    default: manners == .lawless ? .none : .finite(1)
    }
  }

  private mutating func source() -> Int {
    profile.sourceCount > 0 ? random.number(in: 0..<profile.sourceCount) : 0
  }

  /// The order of a set depends on the width of an integer.
  private mutating func anyOf(_ sources: Set<Int>) -> Int? {
    sources.isEmpty ? nil : sources.sorted()[random.number(in: 0..<sources.count)]
  }

  private mutating func subscriber() -> Int { random.number(in: 0..<profile.subscriberCount) }

  private mutating func age() -> Int { chance(0.9) ? 0 : random.number(in: 1...2) }

  private mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  private mutating func pick<T>(_ choices: [(weight: Int, value: T)]) -> T {
    var rest = random.number(in: 0..<choices.reduce(0) { $0 + $1.weight })
    for choice in choices {
      rest -= choice.weight
      if rest < 0 { return choice.value }
    }
    preconditionFailure("no choice has a weight")
  }
}
