// The description of a script has the form of a trace: short and complete.

extension Script: CustomStringConvertible {

  public var description: String {
    var lines = ["\(entry)(\(parameters.map(String.init).joined(separator: ", "))), sources are \(manners)"]
    if !lateSources.isEmpty {
      lines.append("late: \(lateSources.sorted().map { "up\($0)" }.joined(separator: ", "))")
    }
    lines += reactions.map(\.description)
    lines += steps.enumerated().map { "\($0.offset + 1). \($0.element)" }
    return lines.joined(separator: "\n")
  }
}

extension Script.Action: CustomStringConvertible {

  public var description: String {
    switch self {
    case .subscribe(let subscriber): "subscribe down\(subscriber)"
    case .request(let subscriber, let amount): "down\(subscriber) requests \(amount)"
    case .cancel(let subscriber): "down\(subscriber) cancels"
    case .send(let source, let age, let value): "\(name(source, age)) sends \(value)"
    case .finish(let source, let age): "\(name(source, age)) finishes"
    case .fail(let source, let age, let code): "\(name(source, age)) fails with \(code)"
    case .greet(let source, let age): "\(name(source, age)) gives a subscription"
    case .advance(let milliseconds): "the clock moves by \(milliseconds)"
    case .connect: "connect"
    case .disconnect: "disconnect"
    }
  }

  private func name(_ source: Int, _ age: Int) -> String {
    age == 0 ? "up\(source)" : "up\(source) (\(age) subscribers ago)"
  }
}

extension Script.Amount: CustomStringConvertible {

  public var description: String {
    switch self {
    case .finite(let count): "max(\(count))"
    case .unlimited: "unlimited"
    }
  }
}

extension Script.Reaction: CustomStringConvertible {

  public var description: String {
    var parts = actions.map(\.description)
    if returning != .none { parts.append("returns \(returning)") }
    return "when \(cue): \(parts.joined(separator: ", "))"
  }
}

extension Script.Cue: CustomStringConvertible {

  public var description: String {
    switch self {
    case .subscription(let subscriber, let count): "down\(subscriber) gets subscription \(count + 1)"
    case .value(let subscriber, let count): "down\(subscriber) gets value \(count + 1)"
    case .completion(let subscriber, let count): "down\(subscriber) gets completion \(count + 1)"
    case .subscribed(let source, let count): "up\(source) is subscribed to, time \(count + 1)"
    case .requested(let source, let count): "up\(source) gets request \(count + 1)"
    case .cancelled(let source, let count): "up\(source) gets cancel \(count + 1)"
    case .closure(let count): "a closure is called, time \(count + 1)"
    }
  }
}
