extension ExplainedDifference {

  static let mixing: [ExplainedDifference] = [
    ExplainedDifference(
      "order of flatMap's children",
      in: ["flatMap"],
      because: """
        The peer keeps its children in a dictionary, whose order changes from run to run; ours keeps them in the order \
        of their arrival.
        """,
      .anyOrder(["is cancelled", "is asked for"])
    )
  ]
}
