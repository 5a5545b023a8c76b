// No other import of the library's or of the system's: what is found here is what `import Combine` brings.
import Combine
import Testing

@Suite struct ImportTests {

  @Test func combineAloneBringsTheQueues() async {
    let queue: DispatchQueue = .init(label: "ImportTests")
    let values = Just(1).receive(on: queue).values
    for await value in values { #expect(value == 1) }
  }
}
