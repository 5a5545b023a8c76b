import Combine
import Foundation

/// 2: `assign(to:on:)` assigns the values of a pipeline to a property of an object.
struct AssignToProperty: Recipe {
  let number = 2
  let title = "Subscribe with assign(to:on:)"

  /// A stand-in for a view, whose text may be set only on the main thread.
  final class Label {
    var text = "" {
      didSet { onChange(text) }
    }
    private let onChange: (String) -> Void

    init(onChange: @escaping (String) -> Void) {
      self.onChange = onChange
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let label = Label { text in
      timeline.log("label \(text)" + (Thread.isMainThread ? "" : ", on the wrong thread"))
    }
    let speed = CurrentValueSubject<Int, Never>(0)

    let subscription =
      speed
      .map { "\($0) km/h" }
      .receive(on: RunLoop.main)
      .assign(to: \.text, on: label)

    // The values come from a thread that must not access the label.
    Thread.detachNewThread {
      speed.send(30)
      speed.send(50)
    }
    try timeline.wait(for: "label 50 km/h")
    timeline.expect(["label 0 km/h", "label 30 km/h", "label 50 km/h"])

    subscription.cancel()
    Thread.detachNewThread { speed.send(70) }
    try timeline.wait(for: "the last value", until: speed.value == 70)
    timeline.pause(.milliseconds(20))
    timeline.expect([])
    timeline.expect("text", label.text, "50 km/h")
  }
}
