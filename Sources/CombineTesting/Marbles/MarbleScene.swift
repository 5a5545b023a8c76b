/// What has happened in one run of a marble test, for a program that draws it.
@_spi(Diagrams)
public struct MarbleScene: Sendable, Codable {

  /// One event.
  public struct Event: Sendable, Codable {

    /// The number of ticks since the subscription.
    public let time: Int

    /// The character of the event in a diagram.
    public let mark: String

    /// A description of the event, such as `value x = 12`.
    public let text: String
  }

  /// The events of an input, or of the output.
  public struct Line: Sendable, Codable {

    /// The time of the first column of the diagram. It is negative if there are columns before the subscription.
    public let start: Int

    /// The time after the last column of the diagram.
    public let end: Int

    /// The events in their order.
    public let events: [Event]
  }

  /// The inputs. A cold one has the events of its diagram; any other has those that it has sent, with a subscriber or
  /// without.
  public let inputs: [Line]

  /// For each input whose subscriptions the test states: when it was subscribed to and cancelled.
  public let subscriptions: [Line]

  /// What the publisher has sent.
  public let output: Line

  /// Whether the output equals its diagram.
  public let isExpected: Bool

  /// The scenes of the runs inside ``recording(_:)``.
  ///
  /// Sendable: a marble test runs on one thread, which is that of the closure.
  final class Collector: @unchecked Sendable {
    var scenes: [MarbleScene] = []
  }

  @TaskLocal static var collector: Collector?

  /// Runs a closure, and returns the scenes of the marble tests that it has run on this thread, in their order.
  public static func recording(_ body: () throws -> Void) rethrows -> [MarbleScene] {
    let collector = Collector()
    try $collector.withValue(collector) { try body() }
    return collector.scenes
  }
}

extension MarbleScene.Line {

  init(_ diagram: MarbleDiagram, _ moments: [MarbleMoment]) {
    start = diagram.start
    end = diagram.times.upperBound
    events = moments.map { MarbleScene.Event(time: $0.time, mark: String($0.mark), text: $0.text) }
  }
}
