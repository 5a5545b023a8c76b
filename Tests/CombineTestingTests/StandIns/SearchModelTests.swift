import CombineTesting
import Foundation
import TestSupport
import Testing
import XCTest

/// The view model with each stand-in, in Swift Testing.
@Suite(.capturesFailures) struct SearchModelTests {

  @Test func waitsForAPauseInTheTyping() {
    let scheduler = DispatchQueue.test
    let model = SearchModel(scheduler: scheduler.eraseToAnyScheduler())
    model.text = "S"
    scheduler.advance(by: .milliseconds(299))
    model.text = "Swift"
    scheduler.advance(by: .milliseconds(299))
    #expect(model.queries == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(model.queries == ["Swift"])
    #expect(model.result == "result for Swift")
  }

  @Test func needsNoTimeInATestOfTheResult() {
    let model = SearchModel(scheduler: .immediate)
    model.text = "S"
    model.text = "Swift"
    #expect(model.queries == ["S", "Swift"])
    #expect(model.result == "result for Swift")
  }

  @Test func doesNotSearchForAnEmptyText() {
    let model = SearchModel(scheduler: .unimplemented("there is nothing to search for"))
    model.text = ""
    #expect(model.queries == [])
  }

  @Test func aSchedulerThatShouldNotBeUsedFailsTheTest() {
    let line = #line + 2
    let failures = capturedFailures {
      let model = SearchModel(scheduler: .unimplemented("there is nothing to search for"))
      model.text = "S"
    }
    let uses = [
      "The time is read from", "The minimum tolerance is read from", "A repeating action is scheduled on",
      "An action is scheduled on",
    ]
    #expect(
      failures.map(\.message)
        == uses.map { "there is nothing to search for - \($0) a scheduler that must not be used." }
    )
    #expect(failures.map { $0.sourceLocation?.line } == [line, line, line, line])
  }
}

/// The view model with each stand-in, in XCTest.
final class SearchModelXCTests: XCTestCase {

  func testWaitsForAPauseInTheTyping() {
    let scheduler = DispatchQueue.test
    let model = SearchModel(scheduler: scheduler.eraseToAnyScheduler())
    model.text = "Swift"
    scheduler.advance(by: .milliseconds(299))
    XCTAssertEqual(model.queries, [])
    scheduler.run()
    XCTAssertEqual(model.queries, ["Swift"])
    XCTAssertEqual(model.result, "result for Swift")
  }

  func testNeedsNoTimeInATestOfTheResult() {
    let model = SearchModel(scheduler: .immediate)
    model.text = "Swift"
    XCTAssertEqual(model.result, "result for Swift")
  }

  func testDoesNotSearchForAnEmptyText() {
    let model = SearchModel(scheduler: .unimplemented())
    model.text = ""
    XCTAssertEqual(model.queries, [])
  }
}
