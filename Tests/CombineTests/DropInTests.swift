import Foundation
import Testing

/// What is tested is that `DropIn.swift` compiles with its two imports, and that it works.
@Suite struct DropInTests {

  @Test func subjects() {
    #expect(DropIn.subjects() == ["current 1", "passthrough 2", "current 2", "failure(CombineTests.DropIn.Refused())"])
  }

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
}
