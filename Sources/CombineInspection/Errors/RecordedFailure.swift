/// A failure that has passed recorded stages.
public struct RecordedFailure: Sendable, Codable, Identifiable, CustomStringConvertible {

  /// A stage that a failure has passed.
  public struct Step: Sendable, Codable, Hashable {

    /// The name of the stage.
    public let name: String

    /// Where the stage was written, if that is known.
    public let place: SourcePlace?
  }

  /// A number that no other recorded failure has.
  public let id: Int

  /// A description of the error, as it came to the last step.
  public private(set) var error: String

  /// The stages in the order in which the failure has passed them. The failing operator is upstream of the first.
  public private(set) var steps: [Step]

  init(id: Int, error: String, first: Step) {
    self.id = id
    self.error = error
    steps = [first]
  }

  mutating func append(_ step: Step, error: String) {
    steps.append(step)
    self.error = error
  }

  /// The error and the steps, one to a line.
  public var description: String {
    ([error] + steps.map { "  at \($0.name)" + ($0.place.map { " (\($0))" } ?? "") }).joined(separator: "\n")
  }
}
