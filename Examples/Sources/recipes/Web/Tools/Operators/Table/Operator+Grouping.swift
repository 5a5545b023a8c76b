@_spi(Diagrams) import CombineTesting

extension Operator {

  private static let letters = "ab-c---d-e-f--~"

  static let grouping = Group("Make groups") {
    Operator(
      "collect(_:)",
      id: "collect-count",
      letters,
      parameters: [.count("count", 2)],
      code: "$0[0].collect({count})"
    ) {
      $0[0].collect($1.count("count"))
    }
    Operator(
      "collect(_:every:)",
      letters,
      parameters: [.count("count", 3), .count("every", 2)],
      code: "$0[0].collect({count}, every: {every})"
    ) { $0[0].collect($1.count("count"), every: $1.count("every")) }
    Operator(
      "collect(.byTime)",
      letters,
      parameters: [.interval("every", 4)],
      code: "$0[0].collect(.byTime($0.scheduler, {every}))"
    ) { $0[0].collect(.byTime($0.scheduler, $1.ticks("every"))) }
    Operator(
      "collect(.byTimeOrCount)",
      letters,
      parameters: [.interval("every", 4), .count("count", 2)],
      code: "$0[0].collect(.byTimeOrCount($0.scheduler, {every}, {count}))"
    ) { $0[0].collect(.byTimeOrCount($0.scheduler, $1.ticks("every"), $1.count("count"))) }
    Operator(
      "collect(for:every:)",
      letters,
      parameters: [.interval("for", 4), .interval("every", 2)],
      code: "$0[0].collect(for: {for}, every: {every}, scheduler: $0.scheduler)"
    ) { $0[0].collect(for: $1.ticks("for"), every: $1.ticks("every"), scheduler: $0.scheduler) }
    Operator(
      "window(_:every:)",
      letters,
      parameters: [.count("count", 3), .count("every", 3)],
      code: "$0[0].window({count}, every: {every}).flatMap { $0.last() }"
    ) { context, settings in
      context[0].window(settings.count("count"), every: settings.count("every")).flatMap { $0.last() }
    }
    Operator(
      "window(for:every:)",
      letters,
      parameters: [.interval("for", 4), .interval("every", 4)],
      code: "$0[0].window(for: {for}, every: {every}, scheduler: $0.scheduler).flatMap { $0.count() }"
    ) { context, settings in
      context[0]
        .window(for: settings.ticks("for"), every: settings.ticks("every"), scheduler: context.scheduler)
        .flatMap { $0.count() }
    }
    Operator("groupBy", "a-b-A--B-a--~", code: "$0[0].groupBy { $0.lowercased() }.flatMap { $0.collect() }") {
      context,
      _ in
      context[0].groupBy { $0.lowercased() }.flatMap { $0.collect() }
    }
  }
}
