import Foundation
import Site
import Testing

@Suite struct MarblePictureTests {

  private let picture = MarblePicture(
    scene: Scene(
      inputs: [
        line("a--b|"),
        Scene.Line(
          start: -1,
          end: 3,
          events: [Scene.Event(time: -1, mark: "x"), Scene.Event(time: 2, mark: "#")]
        ),
      ],
      output: line("a--b|")
    ),
    code: OperatorCode(lines: ["A.merge(with: B)"])
  )

  @Test func anEventStandsAtItsTime() throws {
    let events = try Event.all(in: picture.svg(.light))
    #expect(events.map(\.mark) == ["a", "b", "|", "x", "#", "a", "b", "|"])
    let lines = [("input-0", 3), ("input-1", 2), ("output", 3)].flatMap { Array(repeating: $0, count: $1) }
    #expect(events.map(\.line) == lines)
    for event in events { #expect(event.x == picture.x(of: event.time), "\(event)") }
    #expect(picture.x(of: 3) - picture.x(of: 2) == MarblePicture.tick)
  }

  @Test func eventsAtOneTimeStandBelowEachOtherAndTheCompletionBeside() throws {
    let events = [("a", 1), ("b", 1), ("|", 1)].map { Scene.Event(time: $1, mark: $0) }
    let line = Scene.Line(start: 0, end: 3, events: events)
    let picture = MarblePicture(scene: Scene(inputs: [], output: line), code: OperatorCode(lines: ["x"]))
    let drawn = try Event.all(in: picture.svg(.light))
    #expect(drawn[0].x == drawn[1].x)
    #expect(drawn[0].y < drawn[1].y)
    #expect(drawn[2].x > drawn[1].x)
  }

  @Test func aLetterHasOneColorInAllLines() throws {
    let events = try Event.all(in: picture.svg(.light))
    #expect(events[0].fill == events[5].fill)
    #expect(events[0].fill != events[1].fill)
  }

  @Test func theThemesDifferInTheirColorsOnly() throws {
    let (light, dark) = (picture.svg(.light), picture.svg(.dark))
    #expect(light != dark)
    #expect(try Event.all(in: light).map(\.x) == Event.all(in: dark).map(\.x))
  }

  @Test func theDescriptionTellsTheEvents() {
    #expect(
      picture.description
        == "A: a at 0, b at 3, finish at 4. B: x at -1, failure at 2. A.merge(with: B). output: a at 0, b at 3, finish at 4"
    )
  }

  @Test func charactersOfMarkupAreEscaped() throws {
    let code = OperatorCode(lines: ["A.filter { $0 < \"b\" && true }"])
    let svg = MarblePicture(scene: picture.scene, code: code).svg(.dark)
    #expect(svg.contains("A.filter { $0 &lt; &quot;b&quot; &amp;&amp; true }"))
  }

  private static func line(_ text: String) -> Scene.Line {
    let events = text.enumerated().filter { $1 != "-" }.map { Scene.Event(time: $0, mark: String($1)) }
    return Scene.Line(start: 0, end: text.count, events: events)
  }

  /// An event as it is drawn.
  private struct Event {
    let line: String
    let time: Int
    let mark: String
    let x: Double
    let y: Double
    let fill: String

    static func all(in svg: String) throws -> [Event] {
      try svg.matches(of: /<g class="event" data-line="(.*?)" data-time="(.*?)" data-mark="(.*?)">(.*?)<\/g>/).map {
        match in
        let content = String(match.4)
        let circle = content.firstMatch(of: /cx="(.*?)" cy="(.*?)" .*?fill="(.*?)"/).map { ($0.1, $0.2, $0.3) }
        let path = content.firstMatch(of: /d="M(\S+) (\S+?)[a-zA-Z]/).map { ($0.1, $0.2, Substring()) }
        let place = try #require(circle ?? path)
        // A cross begins at its upper left corner.
        let offset = match.3 == "#" ? 8.0 : 0
        return Event(
          line: String(match.1),
          time: try #require(Int(match.2)),
          mark: String(match.3),
          x: try #require(Double(place.0)) + offset,
          y: try #require(Double(place.1)),
          fill: String(place.2)
        )
      }
    }
  }
}
