import Scripts

/// All pipelines on which scripts run.
enum Catalogue {

  static var entries: [Entry] {
    [
      mapping, filtering, reducing, slicing, debugging, mixing, errorHandling, timing, scheduling, sharing, sources,
      subjects, subscribers,
    ].flatMap { $0 }
  }
}

extension Contestant {

  init(name: String, entries: [Entry]) {
    let byName = Dictionary(uniqueKeysWithValues: entries.map { ($0.profile.name, $0) })
    // Entries are values that hold functions of this module, and are never written to.
    nonisolated(unsafe) let table = byName
    self.init(name: name, profiles: entries.map(\.profile)) { script, trace in
      guard let entry = table[script.entry] else { preconditionFailure("no entry \(script.entry)") }
      let (census, violations) = perform(script, entry, trace)
      guard script.manners == .lawful, !entry.exemptions.contains(.release), !census.alive.isEmpty else {
        return violations
      }
      return violations + ["\(Law.release): left are \(census.alive.keys.sorted().joined(separator: ", "))"]
    }
  }
}

private func perform(_ script: Script, _ entry: Entry, _ trace: Trace) -> (Census, [String]) {
  let stage = Stage(script: script, entry: entry, trace: trace)
  entry.build(stage)
  stage.play()
  return (stage.census, stage.violations)
}
