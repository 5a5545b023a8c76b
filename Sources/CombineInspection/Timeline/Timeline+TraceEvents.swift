#if canImport(Foundation)
  import Foundation

  extension Timeline {

    /// Returns the timeline in the Trace Event format, which Perfetto and the tracing page of Chromium open.
    ///
    /// Each subscription is a track. A delivery is a slice of its track, and an arrow leads from a delivery to those that it
    /// caused on other tracks. Requests and ends are instants. A counter shows the outstanding demand while it is limited.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// func save(to file: URL) throws {
    ///   try Inspection.timeline.traceEvents().write(to: file)
    /// }
    /// ```
    ///
    /// - Parameter process: The name of the process on the page.
    /// - Returns: The JSON text in UTF-8.
    public func traceEvents(process: String = ProcessInfo.processInfo.processName) throws -> Data {
      var builder = TraceBuilder(self, process: process)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return try encoder.encode(TraceFile(traceEvents: builder.build()))
    }
  }

  private struct TraceFile: Encodable {
    var displayTimeUnit = "ns"
    let traceEvents: [TraceEvent]
  }

  /// An event of the Trace Event format. Its names are the format's.
  private struct TraceEvent: Encodable {

    var ph: String
    var name: String
    var cat: String?
    var ts: Double?
    var pid = 1
    var tid: Int?
    var id: String?
    var bp: String?
    var s: String?
    var args: [String: Argument]?

    enum Argument: Encodable {
      case text(String)
      case number(Int)

      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
      }
    }
  }

  /// Makes the trace events of a timeline.
  private struct TraceBuilder {

    let timeline: Timeline
    let process: String
    let names: [Int: String]

    /// The deliveries that have begun and have not ended, by the event's number.
    private var open: [Int: Timeline.Event] = [:]

    /// The tracks whose subscriptions are alive.
    private var alive: Set<Int> = []

    private var events: [TraceEvent] = []

    init(_ timeline: Timeline, process: String) {
      self.timeline = timeline
      self.process = process
      names = Dictionary(uniqueKeysWithValues: timeline.tracks.map { ($0.id, $0.name) })
    }

    mutating func build() -> [TraceEvent] {
      events.append(TraceEvent(ph: "M", name: "process_name", args: ["name": .text(process)]))
      for (index, track) in timeline.tracks.enumerated() {
        let name = "\(track.name) #\(track.id)" + (track.place.map { " (\($0))" } ?? "")
        events.append(TraceEvent(ph: "M", name: "thread_name", tid: track.id, args: ["name": .text(name)]))
        events.append(
          TraceEvent(ph: "M", name: "thread_sort_index", tid: track.id, args: ["sort_index": .number(index)])
        )
      }
      var values: [Int: Timeline.Event] = [:]
      for event in timeline.events {
        if case .value = event.kind { values[event.number] = event }
        add(event, cause: event.cause.flatMap { values[$0] })
      }
      // What is in progress ends with the timeline. The innermost slice of a track comes first.
      for event in open.values.sorted(by: { $0.number > $1.number }) { end(event, at: timeline.duration) }
      for track in alive.sorted() { life("e", track, at: timeline.duration) }
      return events
    }

    private mutating func add(_ event: Timeline.Event, cause: Timeline.Event?) {
      switch event.kind {
      case .subscribed:
        alive.insert(event.track)
        life("b", event.track, at: event.time)
      case .requested(let count, let outstanding):
        instant("request \(count.map(String.init) ?? "unlimited")", event)
        counter(outstanding, event)
      case .value(let text, let outstanding):
        open[event.number] = event
        let arguments: [String: TraceEvent.Argument] = ["value": .text(text), "thread": .number(event.thread)]
        let name = text.isEmpty ? "value" : text
        events.append(slice("B", name, event.track, at: event.time, arguments))
        if let cause, cause.track != event.track {
          flow("s", event, on: cause.track, at: cause.time)
          flow("f", event, on: event.track, at: event.time)
        }
        counter(outstanding, event)
      case .returned(let number):
        if let start = open.removeValue(forKey: number) { end(start, at: event.time) }
      case .finished: close("finished", event)
      case .failed(let error): close("failed: \(error)", event)
      case .cancelled: close("cancelled", event)
      case .released: close("released", event)
      }
    }

    private func slice(
      _ phase: String,
      _ name: String,
      _ track: Int,
      at time: Duration,
      _ arguments: [String: TraceEvent.Argument]? = nil
    ) -> TraceEvent {
      TraceEvent(ph: phase, name: name, cat: "value", ts: time.inMicroseconds, tid: track, args: arguments)
    }

    private mutating func end(_ start: Timeline.Event, at time: Duration) {
      guard case .value(let text, _) = start.kind else { return }
      events.append(slice("E", text.isEmpty ? "value" : text, start.track, at: time))
    }

    private mutating func flow(_ phase: String, _ event: Timeline.Event, on track: Int, at time: Duration) {
      events.append(
        TraceEvent(
          ph: phase,
          name: "flow",
          cat: "flow",
          ts: time.inMicroseconds,
          tid: track,
          id: "\(event.number)",
          bp: phase == "f" ? "e" : nil
        )
      )
    }

    private mutating func instant(_ name: String, _ event: Timeline.Event) {
      events.append(
        TraceEvent(ph: "i", name: name, cat: "demand", ts: event.time.inMicroseconds, tid: event.track, s: "t")
      )
    }

    /// Unlimited demand has no number, so the counter then says nothing.
    private mutating func counter(_ outstanding: Int?, _ event: Timeline.Event) {
      guard let outstanding else { return }
      let name = "demand of \(names[event.track] ?? "stage") #\(event.track)"
      events.append(
        TraceEvent(
          ph: "C",
          name: name,
          ts: event.time.inMicroseconds,
          tid: event.track,
          args: ["outstanding": .number(outstanding)]
        )
      )
    }

    private mutating func close(_ text: String, _ event: Timeline.Event) {
      instant(text, event)
      if alive.remove(event.track) != nil { life("e", event.track, at: event.time) }
    }

    private mutating func life(_ phase: String, _ track: Int, at time: Duration) {
      let name = names[track] ?? "stage"
      events.append(
        TraceEvent(ph: phase, name: name, cat: "subscription", ts: time.inMicroseconds, tid: track, id: "\(track)")
      )
    }
  }
#endif
