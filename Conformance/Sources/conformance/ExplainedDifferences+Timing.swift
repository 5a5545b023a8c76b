extension ExplainedDifference {

  static let timing: [ExplainedDifference] = []
}
