import FlyingFox
import Foundation
import Testing

@testable import recipes

/// The runs of the page *Operators*.
@Suite struct OperatorTests {

  /// Runs the case of a link, and returns the output as `value@time`.
  private static func output(_ link: String) throws -> String {
    let items = link.split(separator: "&").map { item -> (name: String, value: String) in
      let parts = item.split(separator: "=", maxSplits: 1)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
    return try OperatorRun(query: items).output.map { event in
      let time = event.time == event.time.rounded() ? "\(Int(event.time))" : "\(event.time)"
      return "\(event.text ?? event.mark)@\(time)"
    }
    .joined(separator: " ")
  }

  @Test(arguments: [
    // What the specification says of each operator.
    ("op=map&a=a--b-~", "A@0 B@3 |@5"),
    ("op=filter&a=a-b-c-a-~&where=before-c", "a@0 b@2 a@6 |@8"),
    ("op=removeDuplicates&a=aab-ba-~", "a@0 b@2 a@5 |@7"),
    ("op=prefix&a=a-b-c-~&count=2", "a@0 b@2 |@2"),
    ("op=dropFirst&a=a-b-c-~&count=2", "c@4 |@6"),
    ("op=suffix&a=a-b-c-~&count=2", "b@6 c@6 |@6"),
    ("op=collect-count&a=a-b-c-~&count=2", "ab@2 c@6 |@6"),
    ("op=count&a=a-b-c-~", "3@6 |@6"),
    ("op=merge&a=a---b-~&b=--1---~", "a@0 1@2 b@4 |@6"),
    ("op=merge&a=a---b*&b=--1---~", "a@0 1@2 b@4 MarbleError@5"),
    ("op=combineLatest&a=a---b---~&b=--1---2-~", "a1@2 b1@4 b2@6 |@8"),
    ("op=zip&a=a---b-----c----~&b=--1----2-----~", "a1@2 b2@7 |@13"),
    // The finish at the time of a pending value comes first, and drops it.
    ("op=debounce&a=ab---c-~&for=2", "b@3 |@7"),
    ("op=debounce&a=ab---c---~&for=2", "b@3 c@7 |@9"),
    ("op=throttle&a=abcdefg-~&for=3&latest=no", "a@0 b@3 e@6 |@8"),
    ("op=delay&a=a--b~&for=2", "a@2 b@5 |@6"),
    ("op=timeout&a=a--b------c~&after=4&error=none", "a@0 b@3 |@7"),
    ("op=append&a=a-~&b=-1~", "a@0 1@3 |@4"),
    ("op=replaceError&a=a-*", "a@0 x@2 |@2"),
    ("op=catch&a=a-*&b=-1~", "a@0 1@3 |@4"),
    ("op=retry&a=a-*&times=1", "a@0 a@2 MarbleError@4"),
    ("op=repeat&a=a-~&count=2", "a@0 a@2 |@4"),
    ("op=scan&a=1-2-3~&with=sum", "1@0 3@2 6@4 |@5"),
    ("op=first&a=--a-b~", "a@2 |@2"),
    ("op=ignoreOutput&a=a-b-~", "|@4"),
    // Two marbles at one time.
    ("op=map&a=(ab)-(c~)", "A@0 B@0 C@2 |@2"),
    ("op=delay&a=(ab)-(c~)&for=3", "a@3 b@3 c@5 |@5"),
    // A line without an end, and one without anything.
    ("op=map&a=a", "A@0"),
    ("op=map&a=-", ""),
  ])
  func sendsWhatTheOperatorSends(link: String, expected: String) throws {
    #expect(try Self.output(link) == expected)
  }

  @Test func everyOperatorHasAFirstSceneThatShowsSomething() throws {
    let operators = Operator.groups.flatMap(\.operators) + Operator.pictures.operators
    #expect(operators.count >= 60)
    #expect(Set(operators.map(\.id)).count == operators.count)
    for operation in operators {
      let run = try OperatorRun(query: [("op", operation.id)])
      #expect(!run.output.isEmpty, "\(operation.id)")
      #expect(run.test != nil, "\(operation.id)")
      #expect(run.problem == nil || run.output.last?.mark == "!", "\(operation.id): \(run.problem ?? "")")
    }
  }

  /// A picture of the documentation has the code, and its link opens the case with these settings.
  @Test func theCodeOfACaseHasItsSettings() {
    for operation in Operator.groups.flatMap(\.operators) + Operator.pictures.operators {
      var settings = operation.initialSettings
      for parameter in operation.parameters { settings.values[parameter.name] = parameter.range.upperBound }
      for settings in [operation.initialSettings, settings] {
        let code = OperatorTest.named(operation.code(settings)).code
        #expect(operation.settings(for: code)?.values == settings.values, "\(operation.name): \(code)")
        #expect(operation.settings(for: "x" + code) == nil)
      }
    }
  }

  @Test func aPublisherThatGoesOnIsCancelled() throws {
    let run = try OperatorRun(query: [("op", "repeat-endless"), ("a", "a~")])
    #expect(run.output.last?.mark == "!")
    #expect(run.test?.contains("!\"") == true)
  }

  @Test(arguments: [
    ("", "there is no ‘op’"),
    ("op=nothing", "there is no operator ‘nothing’"),
    ("op=map&op=map", "‘op’ is there twice"),
    ("op=map&b=a", "‘map’ has no ‘b’"),
    ("op=map&a=(a", "line A: a parenthesis is open"),
    ("op=map&a=a)", "line A: the parentheses do not match"),
    ("op=map&a=a~b", "line A: nothing can follow its end"),
    ("op=map&a=$", "line A: ‘$’ is none of "),
    ("op=map&to=sideways", "‘to’ must be one of "),
    ("op=prefix&count=1000000000", "‘count’ must be a number from "),
    ("op=prefix&count=two", "‘count’ must be a number from "),
    ("op=map&a=" + String(repeating: "-", count: 100_000), "line A is too long"),
    ("op=map&a=" + String(repeating: "-", count: 200) + "a", "line A has more than 200 strides"),
    ("op=map&a=" + String(repeating: "a", count: 41), "line A has more than 40 events"),
  ])
  func aLinkThatMakesNoSenseIsRejectedWithAReason(link: String, reason: String) {
    let error = #expect(throws: BadRequest.self) { try Self.output(link) }
    #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
  }

  /// The most marbles on each line, so that nobody keeps the server busy.
  @Test(arguments: [
    // All at the same time, one after the other, and spread over the whole line.
    String(repeating: "?", count: 40),
    "(" + String(repeating: "?", count: 40) + ")",
    "(" + String(repeating: "?", count: 39) + ")-~",
    "(" + String(repeating: "?", count: 39) + "~)",
    String(repeating: "?----", count: 40),
  ])
  func theLargestCaseOfAnyOperatorTakesSeconds(line: String) throws {
    for operation in Operator.groups.flatMap(\.operators) + Operator.pictures.operators {
      let inputs = operation.inputs.indices.map { index in
        let text = line.replacing("?", with: String(operation.letters[index].first!))
        return (name: OperatorTest.letter(ofInput: index).lowercased(), value: text)
      }
      let time = try ContinuousClock().measure { _ = try OperatorRun(query: [("op", operation.id)] + inputs) }
      #expect(time < .seconds(10), "\(operation.id)")
    }
  }

  @Test func timeThatStandsStillIsReported() throws {
    let run = try OperatorRun(query: [("op", "repeat-endless"), ("a", "(a~)")])
    #expect(run.problem == "time stands still at 0")
    #expect(run.test == nil)
  }

  @Test func theServerAnswersWithARunOrAReason() async throws {
    let tool = WebApp.Tool.operators
    let page = WebApp.Definition(name: "page", title: "", summary: "", sources: [], stages: []) { _ in }
    let handler = WebApp(definitions: [page], tools: [tool], journal: Journal()).routes
    func get(_ path: String, _ query: [FlyingFox.HTTPRequest.QueryItem] = []) async throws -> HTTPResponse {
      try await handler.handleRequest(
        HTTPRequest(method: .GET, version: .http11, path: path, query: query, headers: [:], body: Data())
      )
    }
    let run = try await get("/operators/run", [.init(name: "op", value: "map")])
    #expect(run.statusCode == .ok)
    #expect(try await String(decoding: run.bodyData, as: UTF8.self).contains("uppercased()"))
    let rejected = try await get("/operators/run", [.init(name: "op", value: "none")])
    #expect(rejected.statusCode == .badRequest)
    #expect(try await String(decoding: rejected.bodyData, as: UTF8.self) == "there is no operator ‘none’")
    #expect(try await get("/operators/table").statusCode == .ok)
    #expect(try await get("/operators").statusCode == .ok)
  }
}
