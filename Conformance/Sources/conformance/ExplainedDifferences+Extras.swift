extension ExplainedDifference {

  static let extras: [ExplainedDifference] = [
    ExplainedDifference(
      "what is returned to a source that is over",
      in: entries { $0.lowercased().contains("zip") || $0 == "exhaustMap" },
      because: """
        The source has ended or was cancelled meanwhile, so nothing that its value returns is ever asked for. The models \
        count it in another way: that of exhaustMap is a composition, in which the filter still believes that an inner \
        publisher runs.
        """,
      .first { $0.firstOfTheirs.contains(" is returned ") && $0.isOver($0.theirActor) }
    ),
    ExplainedDifference(
      "a source that speaks out of turn",
      in: [
        "pace", "rateLimit", "repeat", "retryWhen", "retryWhen at once", "throttle by interval", "withLatest",
        "withLatest, upstream first",
      ],
      because: """
        companions.md says nothing of a source that sends before its subscription or after its end. All attempts of a \
        retry have one subscriber, which takes an end for that of the latest attempt; the model makes one for each.
        """,
      .first { $0.script.manners == .lawless && $0.endsWithEventOutOfTurn }
    ),
    ExplainedDifference(
      "a subscription that comes after the last subscriber has left",
      in: ["referenceCounted", "share replay"],
      because: """
        companions.md, referenceCounted: the upstream is cancelled when the last subscriber has cancelled. Ours cancels it \
        also if its subscription comes later. The model connects with subscribe(_:), which ignores a cancel before the \
        subscription.
        """,
      .first {
        $0.firstOfOurs.hasSuffix(" is cancelled") && $0.common.last?.contains(" gives subscription ") == true
          && $0.common.contains { $0.hasSuffix(" cancels") }
      }
    ),
  ]
}
