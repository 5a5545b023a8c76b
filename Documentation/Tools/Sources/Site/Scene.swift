/// What has happened in one run of a marble test, as the library reports it (`MarbleScene` of `CombineTesting`).
public struct Scene: Decodable, Sendable {

  public struct Event: Decodable, Sendable {

    /// The number of ticks since the subscription.
    public let time: Int

    /// The character of the event in a diagram.
    public let mark: String

    /// A description of the event, such as `value x = 12`.
    public let text: String

    public init(time: Int, mark: String, text: String = "") {
      self.time = time
      self.mark = mark
      self.text = text
    }
  }

  public struct Line: Decodable, Sendable {

    /// The times that the line covers.
    public let start: Int
    public let end: Int

    public let events: [Event]

    public init(start: Int, end: Int, events: [Event]) {
      self.start = start
      self.end = end
      self.events = events
    }
  }

  public let inputs: [Line]
  public let subscriptions: [Line]
  public let output: Line
  public let isExpected: Bool

  public init(inputs: [Line], subscriptions: [Line] = [], output: Line, isExpected: Bool = true) {
    self.inputs = inputs
    self.subscriptions = subscriptions
    self.output = output
    self.isExpected = isExpected
  }
}
