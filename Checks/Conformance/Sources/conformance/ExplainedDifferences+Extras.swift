extension ExplainedDifference {

  static let extras: [ExplainedDifference] = [
    ExplainedDifference(
      "what is returned to a source that is over",
      in: entries { $0.lowercased().contains("zip") || $0 == "exhaustMap" },
      because: """
        The source has ended or was cancelled meanwhile, so nothing that its value returns is ever asked for. The \
        models count it in another way: that of exhaustMap is a composition, in which the filter still believes that \
        an inner publisher runs.
        """,
      .first {
        $0.firstOfTheirs.contains(" is returned ") && $0.isOver($0.theirActor)
          || $0.firstOfOurs.contains(" is returned ") && $0.isOver($0.ourActor)
      }
    ),
    ExplainedDifference(
      "a source that speaks out of turn",
      in: [
        "pace", "rateLimit", "throttle by interval", "throttle until", "withLatest", "withLatest, upstream first",
      ],
      because: """
        No row of `Companions.md` says what a source does that sends before its subscription or after its end.
        """,
      .first { $0.script.manners == .lawless && $0.endsWithEventOutOfTurn }
    ),
  ]
}
