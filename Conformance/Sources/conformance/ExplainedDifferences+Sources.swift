extension ExplainedDifference {

  static let sources: [ExplainedDifference] = []
}
