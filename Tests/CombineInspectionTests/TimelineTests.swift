import CombineInspection
import Foundation
import TestSupport
import Testing

extension InspectionTests {

  @Suite struct TimelineTests {

    /// A run with nested deliveries, requests, an inner publisher, every end, and a subscription that is alive.
    private func run() -> Timeline {
      inspecting {
        let subject = PassthroughSubject<Int, Never>()
        let inner = PassthroughSubject<String, InspectTests.Broken>()
        let main = subject.inspect("in").map { $0 * 2 }.inspect("out")
          .sink { if $0 == 4 { subject.send(40) } }
        let limited = RecordingSubscriber<Int, Never>(requesting: .max(2))
        subject.inspect("limited").subscribe(limited)
        let failing = inner.inspect("failing").sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        subject.send(1)
        subject.send(2)
        inner.send("some <text> & \"more\"")
        inner.send(completion: .failure(.init()))
        main.cancel()
        let alive = subject.inspect("alive").sink { _ in }
        let timeline = Inspection.timeline
        _ = (failing, alive, limited)
        return timeline
      }
    }

    @Test func aTraceIsAcceptedByAValidatingReader() throws {
      let data = try run().traceEvents(process: "tests")
      let trace = try TraceReader(data)
      #expect(trace.process == "tests")
      #expect(Set(trace.tracks.values.map { $0.prefix { $0 != " " } }) == ["in", "out", "limited", "failing", "alive"])
      // in and out each have 1, 2 and 40. limited has its two values, failing one.
      #expect(trace.sliceCount == 9)
      #expect(trace.flowCount >= 3)
      #expect(trace.lifetimeCount == 5)
      #expect(trace.counters.contains { $0.hasPrefix("demand of limited") })
    }

    @Test func aTraceOfARingThatHasOverflowedIsBalanced() throws {
      let timeline = inspecting(.init(eventCapacity: 7)) {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.inspect("a").inspect("b").sink { if $0 < 20 { subject.send($0 + 1) } }
        subject.send(0)
        _ = cancellable
        return Inspection.timeline
      }
      #expect(timeline.droppedEventCount > 0)
      _ = try TraceReader(try timeline.traceEvents())
    }

    @Test func aTimelineInTheMiddleOfADeliveryIsBalanced() throws {
      var timelines: [Timeline] = []
      inspecting {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.inspect("a").inspect("b").sink { _ in timelines.append(Inspection.timeline) }
        subject.send(0)
        _ = cancellable
      }
      let trace = try TraceReader(try timelines[0].traceEvents())
      #expect(trace.sliceCount == 2)
    }

    @Test func theReaderRejectsWhatIsNotBalanced() {
      let begin = #"{"ph": "B", "name": "a", "ts": 1, "pid": 1, "tid": 1}"#
      let start = #"{"ph": "s", "name": "flow", "cat": "flow", "id": "7", "ts": 1, "pid": 1, "tid": 1}"#
      for events in [begin, start, #"{"ph": "?", "name": "a", "ts": 1, "pid": 1, "tid": 1}"#, #"{"ph": "E"}"#] {
        #expect(throws: TraceReader.Rejected.self) {
          try TraceReader(Data(#"{"traceEvents": [\#(events)]}"#.utf8))
        }
      }
    }

    @Test func marblesShowEachStage() {
      let lines = run().marbles(width: 40).split(separator: "\n").map(String.init)
      let names = lines.prefix(5).map { $0.prefix { $0 != " " } }
      #expect(names == ["out", "in", "limited", "failing", "alive"])
      // What was subscribed last begins last.
      let begins = [lines[1], lines[4]].map { $0.firstIndex(of: "-")! }
      #expect(begins[0] < begins[1])
      let out = lines.first { $0.hasPrefix("out ") }
      #expect(out?.last == ")" || out?.last == "!")
      #expect(out?.contains("2") == true)
      #expect(lines.contains { $0.hasSuffix("= some <text> & \"more\"") })
      #expect(lines.last?.hasPrefix("  one column is") == true)
    }

    @Test func marblesOfNothing() {
      let timeline = inspecting { Inspection.timeline }
      #expect(timeline.marbles(width: 10).hasPrefix("  one column is"))
      #expect(timeline.svg().contains("<svg"))
    }

    @Test func aPictureIsWellFormed() throws {
      let svg = run().svg(width: 500)
      let parser = XMLReader(svg)
      #expect(parser.isWellFormed)
      #expect(parser.counts["circle"] == 9)
      #expect(parser.counts["g"]! >= 5)
    }

    @Test func aTimelineIsCodable() throws {
      let timeline = run()
      let copy = try JSONDecoder().decode(Timeline.self, from: JSONEncoder().encode(timeline))
      #expect(copy.events.map(\.number) == timeline.events.map(\.number))
      #expect(copy.events.map(\.kind) == timeline.events.map(\.kind))
      #expect(copy.tracks.map(\.name) == timeline.tracks.map(\.name))
    }
  }
}
