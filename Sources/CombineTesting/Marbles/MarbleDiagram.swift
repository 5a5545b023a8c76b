/// A parsed diagram of events in time.
struct MarbleDiagram: Equatable {

  /// The kind of an event.
  enum Mark: Hashable {

    /// A value, given by its letter.
    case value(Character)

    /// `|`: the publisher finishes.
    case finish

    /// `#`: the publisher fails.
    case failure

    /// `^`: a subscription arrives.
    case subscription

    /// `!`: the subscription is cancelled.
    case cancellation

    /// The character that stands for it in a diagram.
    var character: Character {
      switch self {
      case .value(let letter): letter
      case .finish: "|"
      case .failure: "#"
      case .subscription: "^"
      case .cancellation: "!"
      }
    }
  }

  struct Event: Equatable {

    /// The number of ticks since the subscription.
    var time: Int

    var mark: Mark

    /// The position of the mark in the text, in characters.
    var column: Int
  }

  /// The role of a line in a test, which decides what the line may contain.
  enum Role: Equatable {

    /// The events of the input with this number.
    case input(Int)

    /// The events of the publisher under test.
    case output

    /// The moments at which the input with this number is subscribed to and cancelled.
    case subscriptions(Int)
  }

  /// A reason why a text cannot be parsed as a diagram.
  struct Fault: Error, Equatable {

    let message: String

    /// The position of the fault in the text, in characters.
    let column: Int
  }

  /// The text of the diagram.
  let text: String

  /// The events, in order. In ``Role/output`` and ``Role/input(_:)``, `^` is time zero and has no event.
  var events: [Event] = []

  /// Whether the diagram has a `^`.
  var drawsSubscription = false

  /// The time of the first column. It is negative if there are columns to the left of `^`, and otherwise zero.
  var start = 0

  /// The time after the last column.
  var end = 0

  /// The time of `!` in ``Role/output``, or `nil` if there is none.
  var cancellation: Int? { events.last { $0.mark == .cancellation }?.time }
}

extension MarbleDiagram.Role: CustomStringConvertible {

  var description: String {
    switch self {
    case .input(let number): "input \(number)"
    case .output: "the expected output"
    case .subscriptions(let number): "the subscriptions of input \(number)"
    }
  }
}
