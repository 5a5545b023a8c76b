extension ExplainedDifference {

  static let elementwise: [ExplainedDifference] = []
}
