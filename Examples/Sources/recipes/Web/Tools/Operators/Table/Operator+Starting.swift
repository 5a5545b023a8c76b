@_spi(Diagrams) import CombineTesting

extension Operator {

  private static let inner = #"$0[0, values: ["x": $0.cold(1), "y": $0.cold(2), "z": $0.cold(3)]]"#

  /// The first input as a publisher of the others.
  @Sendable
  private static func inner(_ context: MarbleContext<String>) -> MarbleInput<MarbleInput<String>> {
    context[0, values: ["x": context.cold(1), "y": context.cold(2), "z": context.cold(3)]]
  }

  static let starting = Group("Start work for each element") {
    Operator(
      "flatMap",
      "x--y------z------~",
      "--1-2-3~",
      "--a-b-c~",
      "--p-q-r~",
      letters: ["xyz"],
      code: inner + "\n  .flatMap { $0 }"
    ) { context, _ in
      inner(context).flatMap { $0 }
    }
    Operator(
      "flatMap(maxPublishers:)",
      "x--y------z------~",
      "--1-2-3~",
      "--a-b-c~",
      "--p-q-r~",
      letters: ["xyz"],
      parameters: [.count("max", 1)],
      code: inner
        + "\n  .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)"
        + "\n  .flatMap(maxPublishers: .max({max})) { $0 }"
    ) { context, settings in
      inner(context)
        .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(settings.count("max"))) { $0 }
    }
    Operator(
      "concatMap",
      "x--y------z------~",
      "--1-2-3~",
      "--a-b-c~",
      "--p-q-r~",
      letters: ["xyz"],
      code: inner + "\n  .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)\n  .concatMap { $0 }"
    ) { context, _ in
      inner(context).buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest).concatMap { $0 }
    }
    Operator(
      "switchToLatest",
      "x--y------z------~",
      "--1-2-3~",
      "--a-b-c~",
      "--p-q-r~",
      letters: ["xyz"],
      code: inner + "\n  .switchToLatest()"
    ) { context, _ in
      inner(context).switchToLatest()
    }
    Operator(
      "flatMapLatest",
      "x--y------z------~",
      "--1-2-3~",
      "--a-b-c~",
      "--p-q-r~",
      letters: ["xyz"],
      code: inner + "\n  .flatMapLatest { $0 }"
    ) { context, _ in
      inner(context).flatMapLatest { $0 }
    }
    Operator(
      "exhaustMap",
      "x--y------z------~",
      "--1-2-3~",
      "--a-b-c~",
      "--p-q-r~",
      letters: ["xyz"],
      code: inner + "\n  .exhaustMap { $0 }"
    ) { context, _ in
      inner(context).exhaustMap { $0 }
    }
  }
}
