import CombineInspection
import Foundation

extension WebApp.Tool {

  /// The pipelines of this process that are alive, as a table and as a graph.
  ///
  /// Everything is followed, so that a pipeline need not be written for it. The page itself subscribes to nothing: what it
  /// shows are the pipelines of the other tabs.
  static var inspector: Self {
    Inspection.start(.init(followsEverything: true, eventCapacity: 1000))
    return Self(
      name: "inspector",
      title: "Inspector",
      summary: "Watch the pipelines of the other tabs: what is alive, what passes, and how much is still wanted.",
      sources: [URL(filePath: #filePath)],
      data: [
        "living": { _ in try JSONEncoder().encode(Inspection.living.map(Row.init)) },
        "trace": { _ in try Inspection.timeline.traceEvents() },
      ]
    )
  }

  /// A living subscription as the page's script reads it.
  private struct Row: Encodable {

    let id: Int
    let name: String
    let isNamed: Bool
    let subscriber: String
    let place: String?
    let milliseconds: Int64

    /// `nil` is unlimited.
    let demand: Int?

    let values: Int
    let last: String?
    let thread: String
    let downstream: [Int]
    let startedBy: Int?

    init(_ subscription: LivingSubscription) {
      id = subscription.id
      name = subscription.name
      isNamed = subscription.isNamed
      subscriber = subscription.subscriber
      place = subscription.place?.description
      let age = subscription.age.components
      milliseconds = age.seconds * 1000 + age.attoseconds / 1_000_000_000_000_000
      demand = subscription.demand.max
      values = subscription.valueCount
      last = subscription.lastValue
      thread = subscription.thread
      downstream = subscription.downstream
      startedBy = subscription.startedBy
    }
  }
}
