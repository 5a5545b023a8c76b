@_spi(Diagrams) import CombineTesting

extension Operator {

  static let sharing = Group("Say where, and share") {
    Operator("receive(on:)", "a--b-c--~", code: "$0[0].receive(on: $0.scheduler)") { context, _ in
      context[0].receive(on: context.scheduler)
    }
    Operator("subscribe(on:)", "a--b-c--~", code: "$0[0].subscribe(on: $0.scheduler)") { context, _ in
      context[0].subscribe(on: context.scheduler)
    }
    Operator(
      "buffer",
      "abcd--------~",
      parameters: [.count("size", 2), .choice(full), .interval("work", 3)],
      code: """
        $0[0]
          .buffer(size: {size}, prefetch: .keepFull, whenFull: .{full})
          .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: {work}, scheduler: clock) }
        """
    ) { context, settings in
      context[0]
        .buffer(size: settings.count("size"), prefetch: .keepFull, whenFull: settings[full] ? .dropNewest : .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = context.scheduler] in
          Just($0).delay(for: settings.ticks("work"), scheduler: clock)
        }
    }
    Operator("share", "a--b-c--~", code: "[$0.cold(0).share()].flatMap { [$0, $0] }.merge()") { context, _ in
      [context.cold(0).share()].flatMap { [$0, $0] }.merge()
    }
    Operator(
      "share(replay:scope:)",
      "a-b--c--d--~",
      parameters: [.count("replay", 1, in: 0...9), .interval("later", 6)],
      code: """
        [$0.cold(0).share(replay: {replay}, scope: .forever)]
          .flatMap { [clock = $0.scheduler] in
            [$0, $0.delaySubscription(for: {later}, scheduler: clock).eraseToAnyPublisher()]
          }
          .merge()
        """
    ) { context, settings in
      [context.cold(0).share(replay: settings.count("replay"), scope: .forever)]
        .flatMap { [clock = context.scheduler] in
          [$0, $0.delaySubscription(for: settings.ticks("later"), scheduler: clock).eraseToAnyPublisher()]
        }
        .merge()
    }
    Operator(
      "repeat",
      "-a-b-~",
      parameters: [.count("count", 3)],
      code: "$0.cold(0).repeat({count})"
    ) { $0.cold(0).repeat($1.count("count")) }
    Operator("repeat()", id: "repeat-endless", "-a-b-~", code: "$0.cold(0).repeat()") { context, _ in
      context.cold(0).repeat()
    }
  }

  /// What a full buffer drops.
  private static let full = Choices(
    name: "full",
    options: [("dropOldest", "dropOldest", false), ("dropNewest", "dropNewest", true)]
  )
}
