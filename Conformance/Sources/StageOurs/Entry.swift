import Scripts

/// One pipeline that scripts are played on.
struct Entry {

  let profile: Profile

  /// The laws that the operator breaks by its contract.
  let exemptions: Set<Law>

  /// Puts the pipeline on a stage.
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

  /// The entry for operators in a row, which hold each other until an end or a cancel.
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
