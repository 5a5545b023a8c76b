@_spi(Diagrams) import CombineTesting

extension Operator {

  private static let burst = "abc-------d-----~"

  /// Whether a timeout finishes or fails.
  private static let ending = Choices<(@Sendable () -> MarbleError)?>(
    name: "error",
    options: [("none", "nil", nil), ("failure", "{ MarbleError() }", { MarbleError() })]
  )

  static let timing = Group("Slow down, wait, measure") {
    Operator(
      "debounce",
      burst,
      parameters: [.interval("for", 4)],
      code: "$0[0].debounce(for: {for}, scheduler: $0.scheduler)"
    ) { $0[0].debounce(for: $1.ticks("for"), scheduler: $0.scheduler) }
    Operator(
      "throttle",
      burst,
      parameters: [.interval("for", 4), .choice(latest, 1)],
      code: "$0[0].throttle(for: {for}, scheduler: $0.scheduler, latest: {latest})"
    ) { $0[0].throttle(for: $1.ticks("for"), scheduler: $0.scheduler, latest: $1[latest]) }
    Operator(
      "throttle(until:)",
      burst,
      "---x-~",
      parameters: [.choice(latest, 1)],
      code: "$0[0].throttle(latest: {latest}) { [window = $0.cold(1)] _ in window }"
    ) { context, settings in
      context[0].throttle(latest: settings[latest]) { [window = context.cold(1)] _ in window }
    }
    Operator(
      "rateLimit",
      burst,
      parameters: [.count("count", 2), .interval("per", 4)],
      code: "$0[0].rateLimit({count}, per: {per}, scheduler: $0.scheduler)"
    ) { $0[0].rateLimit($1.count("count"), per: $1.ticks("per"), scheduler: $0.scheduler) }
    Operator(
      "delay",
      burst,
      parameters: [.interval("for", 4)],
      code: "$0[0].delay(for: {for}, scheduler: $0.scheduler)"
    ) { $0[0].delay(for: $1.ticks("for"), scheduler: $0.scheduler) }
    Operator(
      "delaySubscription",
      burst,
      parameters: [.interval("for", 2)],
      code: "$0[0].delaySubscription(for: {for}, scheduler: $0.scheduler)"
    ) { $0[0].delaySubscription(for: $1.ticks("for"), scheduler: $0.scheduler) }
    Operator(
      "timeout",
      burst,
      parameters: [.interval("after", 5), .choice(ending)],
      code: "$0[0].timeout({after}, scheduler: $0.scheduler, customError: {error})"
    ) { $0[0].timeout($1.ticks("after"), scheduler: $0.scheduler, customError: $1[ending]) }
    Operator(
      "timeout(first:next:)",
      "--ab------c-----~",
      parameters: [.interval("first", 3), .interval("next", 5), .choice(ending, 1)],
      code: "$0[0].timeout(first: {first}, next: {next}, scheduler: $0.scheduler, customError: {error})"
    ) { context, settings in
      context[0].timeout(
        first: settings.ticks("first"),
        next: settings.ticks("next"),
        scheduler: context.scheduler,
        customError: settings[ending]
      )
    }
    Operator(
      "timeout(first:fallback:)",
      "--ab------c-----~",
      "-1-2-~",
      parameters: [.interval("first", 3), .interval("next", 5)],
      code: "$0[0].timeout(first: {first}, next: {next}, scheduler: $0.scheduler, fallback: $0.cold(1))"
    ) { context, settings in
      context[0].timeout(
        first: settings.ticks("first"),
        next: settings.ticks("next"),
        scheduler: context.scheduler,
        fallback: context.cold(1)
      )
    }
    Operator("measureInterval", burst, code: "$0[0].measureInterval(using: $0.scheduler).map(\\.ticks)") { context, _ in
      context[0].measureInterval(using: context.scheduler).map(\.ticks)
    }
  }
}
