import Scripts

/// One pipeline on which scripts run.
struct Entry {

  let profile: Profile

  /// The laws that the operator breaks by its contract.
  let exemptions: Set<Law>

  /// A closure that builds the pipeline on a stage.
  let build: (Stage) -> Void

  init(
    _ name: String,
    sources: Int = 1,
    parameters: [ClosedRange<Int>] = [],
    subscribers: Int = 1,
    traits: Profile.Traits = [],
    exemptFrom exemptions: Set<Law> = [],
    build: @escaping (Stage) -> Void
  ) {
    profile = Profile(
      name: name,
      sourceCount: sources,
      parameters: parameters,
      subscriberCount: subscribers,
      traits: traits
    )
    self.exemptions = exemptions
    self.build = build
  }

  /// The entry for operators in a chain, which hold each other until a completion or a cancel.
  var cancelledAtEnd: Entry {
    Entry(
      profile.name,
      sources: profile.sourceCount,
      parameters: profile.parameters,
      subscribers: profile.subscriberCount,
      traits: profile.traits,
      exemptFrom: exemptions.union([.releaseWithoutEnd]),
      build: build
    )
  }
}
