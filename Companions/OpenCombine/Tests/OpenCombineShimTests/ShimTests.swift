import Dispatch
import Foundation
import OpenCombineShim
import Testing

@Suite struct ShimTests {

  /// Each of these is declared by another module of the package.
  @Test func showsTheNamesOfAllModules() {
    let queue = DispatchQueue(label: "values")
    let values = Optional(1).ocombine.publisher
    let delivered = values.receive(on: queue.ocombine)
    let saved = NotificationCenter.default.ocombine.publisher(for: Notification.Name("saved"))
    #expect(values.output == 1)
    #expect(delivered.scheduler.queue === queue)
    #expect(saved.center === NotificationCenter.default)
  }

  @Test func codersAreTopLevelCoders() throws {
    var texts: [String] = []
    let sink = Just(["a": 1])
      .encode(encoder: JSONEncoder())
      .decode(type: [String: Int].self, decoder: JSONDecoder())
      .sink(receiveCompletion: { texts.append("\($0)") }, receiveValue: { texts.append("\($0)") })
    #expect(texts == [#"["a": 1]"#, "finished"])
    sink.cancel()
  }
}
