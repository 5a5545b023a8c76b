@_spi(Diagrams) import CombineTesting

extension Operator {

  private static let letters = "a-b--c-b-a-~"

  static let dropping = Group("Drop elements") {
    Operator("filter", letters, parameters: [.choice(letterPredicates)], code: "$0[0].filter { {where} }") {
      $0[0].filter($1[letterPredicates])
    }
    Operator("removeDuplicates()", "a-a-b--b-a-~", code: "$0[0].removeDuplicates()") { context, _ in
      context[0].removeDuplicates()
    }
    Operator(
      "removeDuplicates(by:)",
      "a-A-b--B-a-~",
      code: "$0[0].removeDuplicates { $0.lowercased() == $1.lowercased() }"
    ) { context, _ in
      context[0].removeDuplicates { $0.lowercased() == $1.lowercased() }
    }
    Operator("distinct", "a-b-a--c-b-~", code: "$0[0].distinct()") { context, _ in context[0].distinct() }
    Operator("ignoreOutput", letters, code: "$0[0].ignoreOutput()") { context, _ in context[0].ignoreOutput() }
    Operator(
      "partition",
      letters,
      parameters: [.choice(letterPredicates), .choice(parts)],
      code: "$0[0].partition { {where} }.{part}"
    ) { context, settings in
      let parts = context[0].partition(settings[letterPredicates])
      return settings[Operator.parts] ? parts.matches : parts.nonMatches
    }
    Operator("dropFirst", letters, parameters: [.count("count", 2, in: 0...9)], code: "$0[0].dropFirst({count})") {
      $0[0].dropFirst($1.count("count"))
    }
    Operator(
      "drop(while:)",
      letters,
      parameters: [.choice(letterPredicates)],
      code: "$0[0].drop { {where} }"
    ) { $0[0].drop(while: $1[letterPredicates]) }
    Operator("drop(untilOutputFrom:)", letters, "----x---y", code: "$0[0].drop(untilOutputFrom: $0[1])") {
      context,
      _ in
      context[0].drop(untilOutputFrom: context[1])
    }
    Operator("dropLast", letters, parameters: [.count("count", 2, in: 0...9)], code: "$0[0].dropLast({count})") {
      $0[0].dropLast($1.count("count"))
    }
    Operator("prefix(_:)", letters, parameters: [.count("count", 2, in: 0...9)], code: "$0[0].prefix({count})") {
      $0[0].prefix($1.count("count"))
    }
    Operator(
      "prefix(while:)",
      letters,
      parameters: [.choice(letterPredicates)],
      code: "$0[0].prefix { {where} }"
    ) { $0[0].prefix(while: $1[letterPredicates]) }
    Operator(
      "prefix(while:behavior:)",
      letters,
      parameters: [.choice(letterPredicates)],
      code: "$0[0].prefix(while: { {where} }, behavior: .inclusive)"
    ) { $0[0].prefix(while: $1[letterPredicates], behavior: .inclusive) }
    Operator("prefix(untilOutputFrom:)", letters, "------x---y", code: "$0[0].prefix(untilOutputFrom: $0[1])") {
      context,
      _ in
      context[0].prefix(untilOutputFrom: context[1])
    }
    Operator(
      "prefix(duration:)",
      letters,
      parameters: [.interval("duration", 6)],
      code: "$0[0].prefix(duration: {duration}, on: $0.scheduler)"
    ) { $0[0].prefix(duration: $1.ticks("duration"), on: $0.scheduler) }
    Operator("suffix", letters, parameters: [.count("count", 2, in: 0...9)], code: "$0[0].suffix({count})") {
      $0[0].suffix($1.count("count"))
    }
    Operator("first()", letters, code: "$0[0].first()") { context, _ in context[0].first() }
    Operator("first(where:)", letters, parameters: [.choice(letterPredicates, 1)], code: "$0[0].first { {where} }") {
      $0[0].first(where: $1[letterPredicates])
    }
    Operator("last()", letters, code: "$0[0].last()") { context, _ in context[0].last() }
    Operator("last(where:)", letters, parameters: [.choice(letterPredicates, 1)], code: "$0[0].last { {where} }") {
      $0[0].last(where: $1[letterPredicates])
    }
    Operator("output(at:)", letters, parameters: [.count("at", 2, in: 0...9)], code: "$0[0].output(at: {at})") {
      $0[0].output(at: $1.count("at"))
    }
    Operator(
      "output(in:)",
      letters,
      parameters: [.count("from", 1, in: 0...9), .count("count", 2, in: 0...9)],
      code: "$0[0].output(in: {from}..<{from} + {count})"
    ) { context, settings in
      context[0].output(in: settings.count("from")..<settings.count("from") + settings.count("count"))
    }
  }

  /// The publishers of a partition.
  private static let parts = Choices(
    name: "part",
    options: [("matches", "matches", true), ("others", "nonMatches", false)]
  )
}
