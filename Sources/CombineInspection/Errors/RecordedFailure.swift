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
  public let error: String

  /// The stages in the order in which the failure has passed them. The failing operator is upstream of the first.
  public let steps: [Step]

  /// The error and the steps, one to a line.
  public var description: String {
    ([error] + steps.map { "  at \($0.name)" + ($0.place.map { " (\($0))" } ?? "") }).joined(separator: "\n")
  }
}

/// A failure as it is recorded. The places of its steps are looked up when it is read, not on the thread that fails.
struct PassingFailure {

  let id: Int
  var error: String
  var steps: [(name: String, origin: Origin)] = []

  var recorded: RecordedFailure {
    RecordedFailure(id: id, error: error, steps: steps.map { .init(name: $0.name, place: $0.origin.place) })
  }
}
