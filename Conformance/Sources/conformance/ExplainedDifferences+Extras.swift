extension ExplainedDifference {

  static let extras: [ExplainedDifference] = [
    ExplainedDifference(
      "a value after the cancel of exhaustMap",
      in: ["exhaustMap"],
      because: """
        The source sends after it was cancelled. Nothing that it returns is ever asked for. The model is a composition, in \
        which the filter still believes that an inner publisher runs, and returns one for the value.
        """,
      .first {
        $0.script.manners == .lawless && $0.common.contains { $0.hasSuffix("down0 cancels") }
          && $0.firstOfTheirs.hasSuffix("up0 is returned max(1)")
      }
    )
  ]
}
