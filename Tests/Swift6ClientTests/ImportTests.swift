// The file has no other import of the library or of the system. It tests what `import Combine` provides.
import Combine
import Testing

@Suite struct ImportTests {

  @Test func combineAloneProvidesTheQueues() async {
    let queue: DispatchQueue = .init(label: "ImportTests")
    let values = Just(1).receive(on: queue).values
    for await value in values { #expect(value == 1) }
  }
}
