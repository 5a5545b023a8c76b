import CombineExt
import CombineTesting
import Testing

struct CombineExtTests {

  @Test func materializeOfThisModuleIsChosenBesideOthers() {
    var events: [Event<Int, Never>] = []
    _ = Just(1).materialize().sink { events.append($0) }
    #expect(events == [.value(1), .finished])
  }
}
