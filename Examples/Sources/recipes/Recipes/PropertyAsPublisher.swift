import Combine

/// 26: a model offers a property as a publisher and keeps the rest private. A client assigns the transformed values to
/// one of its own properties.
struct PropertyAsPublisher: Recipe {
  let number = 26
  let title = "A property that is a publisher"

  final class Counter {

    private struct Model {
      var value = 0
      var steps = 0
    }

    @Published private var model = Model()

    /// A publisher of the value after each change.
    private(set) lazy var valuePublisher: AnyPublisher<Int, Never> =
      $model
      .dropFirst()  // The value at the time of the subscription.
      .map(\.value)
      .eraseToAnyPublisher()

    func add(_ step: Int) {
      model = Model(value: model.value + step, steps: model.steps + 1)
    }
  }

  final class Screen {
    @Published var text: String?

    func show(_ counter: Counter) {
      counter.assignDescription(to: &$text)
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let counter = Counter()
    counter.add(1)

    let values = counter.valuePublisher.sink { timeline.log("value \($0)") }
    timeline.expect([])
    counter.add(2)
    timeline.expect(["value 3"])

    var screen: Screen? = Screen()
    let texts = screen?.$text.sink { timeline.log("shown: \($0 ?? "nothing")") }
    screen?.show(counter)
    timeline.expect(["shown: nothing"])
    counter.add(4)
    timeline.expect(inAnyOrder: ["value 7", "shown: The counter is at 7."])
    timeline.expect("text", screen?.text, "The counter is at 7.")
    texts?.cancel()

    // The assignment lasts as long as the property, and keeps no object alive.
    weak let remaining = screen
    screen = nil
    timeline.expect("no screen", remaining == nil, got: remaining as Any)
    counter.add(8)
    timeline.expect(["value 15"])
    values.cancel()
  }
}

/// A client's extension that describes the value.
extension PropertyAsPublisher.Counter {

  /// Assigns a description of the value after each change to a property: `counter.assignDescription(to: &$text)`.
  func assignDescription(to published: inout Published<String?>.Publisher) {
    valuePublisher
      .map { "The counter is at \($0)." }
      .assign(to: &published)
  }
}
