import Foundation
import Testing

/// Tests that the files `DropIn….swift` compile with their two imports, and that they work.
@Suite struct DropInTests {

  @Test func subjects() {
    #expect(DropIn.subjects() == ["current 1", "passthrough 2", "current 2", "failure(CombineTests.DropIn.Refused())"])
  }

  #if compiler(>=6.3)
    @Test func namesOfTypes() {
      #expect(
        DropIn.namesOfTypes() == [
          "Combine.Just<Swift.Int>", "Combine.AnyCancellable", "Combine.PassthroughSubject<Swift.String, Swift.Never>",
          "Combine.Just<Swift.Int>(output: 1)",
          "Map<Just<Int>, Refused>", "Just<Int>(output: 1)",
        ]
      )
    }
  #endif

  @Test func publishedModel() {
    let (names, label, changes) = DropIn.publishedModel()
    #expect(names == ["a", "b"])
    #expect(label == "count 7")
    #expect(changes == 2)
  }

  @Test func notification() {
    #expect(DropIn.notification() == ["value"])
  }

  @Test func request() {
    #expect(DropIn.requestThatIsRefused() == .cannotConnectToHost)
  }

  @Test func timer() {
    let dates = DropIn.timerOnARunLoop()
    #expect(dates.count >= 3)
    #expect(dates == dates.sorted())
  }

  @Test func schedulers() {
    #expect(DropIn.schedulers() == ["queue", "operations", "repeated", "loop"])
  }

  @Test func coders() throws {
    #expect(try DropIn.coders() == ["a": 2])
  }

  @Test func elementwiseOperators() {
    #expect(DropIn.elementwise() == ["10", "30", "-1", "finished", "10", "20", "30", "finished"])
  }

  @Test func operatorsEvaluatedAtOnce() {
    #expect(DropIn.evaluatedAtOnce() == ["3", "finished", "40", "finished", "8", "finished"])
  }

  @Test func mixingOperators() {
    #expect(
      DropIn.mixing() == [
        "flat a", "flat a", "latest a0", "latest a1", "merge 0", "merge 1", "merge a", "switch a!", "zip a0",
      ]
    )
  }

  @Test func errorHandlingOperators() {
    #expect(
      DropIn.errorHandling() == [
        "3", "finished", "7", "finished", "8", "finished", "finished", "9", "finished", "10", "finished", "11",
        "finished",
      ]
    )
  }

  @Test func codingAndDebuggingOperators() {
    #expect(DropIn.codingAndDebugging() == ["Ada", "finished", "saw Ada", "saw the end"])
  }

  @Test func timingAndSharingOperators() {
    #expect(
      DropIn.timingAndSharing() == ["connected 1", "debounced 1", "delayed 1", "multicast 1", "throttled 1"]
    )
  }
}
