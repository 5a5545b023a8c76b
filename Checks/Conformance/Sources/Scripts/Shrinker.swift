/// A tool that minimizes a script while the script still shows its finding.
public enum Shrinker {

  /// Returns the smallest script found for which `isInteresting` is true. It must be true for `script`.
  ///
  /// - Complexity: Calls `isInteresting` some ten times for each part of the script.
  public static func shrink(_ script: Script, isInteresting: (Script) -> Bool) -> Script {
    var smallest = script
    var goesOn = true
    while goesOn {
      goesOn = false
      // The first candidate that works is kept, and the search starts again from it.
      for candidate in candidates(smallest) where isInteresting(candidate) {
        smallest = candidate
        goesOn = true
        break
      }
    }
    return smallest
  }

  /// Returns scripts that are slightly smaller, those with the largest reduction first. The order on scripts has no
  /// endless descent: each has fewer parts, or as many parts of which one is smaller.
  static func candidates(_ script: Script) -> [Script] {
    var candidates: [Script] = []

    func add(_ change: (inout Script) -> Void) {
      var candidate = script
      change(&candidate)
      if candidate != script { candidates.append(candidate) }
    }

    var length = (script.steps.count + 1) / 2
    while length > 0 {
      for start in stride(from: 0, to: script.steps.count, by: length) {
        add { $0.steps.removeSubrange(start..<min(start + length, $0.steps.count)) }
      }
      length = length > 1 ? (length + 1) / 2 : 0
    }
    for index in script.reactions.indices {
      add { $0.reactions.remove(at: index) }
    }
    for index in script.reactions.indices {
      for position in script.reactions[index].actions.indices {
        add { $0.reactions[index].actions.remove(at: position) }
      }
      add { $0.reactions[index].returning = .none }
    }
    for source in script.lateSources.sorted() {
      add { $0.lateSources.remove(source) }
    }
    add { $0.manners = .lawful }
    for index in script.parameters.indices where script.parameters[index] > 1 {
      add { $0.parameters[index] -= 1 }
    }
    for index in script.steps.indices {
      for smaller in smaller(script.steps[index]) { add { $0.steps[index] = smaller } }
    }
    for index in script.reactions.indices {
      for position in script.reactions[index].actions.indices {
        for smaller in smaller(script.reactions[index].actions[position]) {
          add { $0.reactions[index].actions[position] = smaller }
        }
      }
      for smaller in smaller(script.reactions[index].returning) {
        add { $0.reactions[index].returning = smaller }
      }
    }
    return candidates
  }

  private static func smaller(_ action: Script.Action) -> [Script.Action] {
    switch action {
    case .send(let source, let age, let value):
      (age > 0 ? [.send(source: source, age: 0, value)] : [])
        + (0..<value).map { .send(source: source, age: age, $0) }
    case .finish(let source, let age): age > 0 ? [.finish(source: source)] : []
    case .fail(let source, let age, let code):
      [.finish(source: source, age: age)] + (code > 0 ? [.fail(source: source, age: age, 0)] : [])
        + (age > 0 ? [.fail(source: source, age: 0, code)] : [])
    case .request(let subscriber, let amount):
      smaller(amount).map { .request(subscriber: subscriber, $0) }
    case .advance(let milliseconds):
      [1, 5, 10].filter { $0 < milliseconds }.map { .advance($0) }
        + (milliseconds > 1 ? [.advance(milliseconds - 1)] : [])
    case .subscribe, .cancel, .greet, .connect, .disconnect: []
    }
  }

  private static func smaller(_ amount: Script.Amount) -> [Script.Amount] {
    switch amount {
    case .unlimited: [.finite(1), .finite(2), .finite(3), .finite(6)]
    case .finite(let count): count > 1 ? [.finite(count - 1)] : []
    }
  }
}
