/// A picture of events in time, after it was read.
struct MarbleDiagram: Equatable {

  /// What happens at a moment.
  enum Mark: Hashable {

    /// A value, by its letter.
    case value(Character)

    /// `|`: the publisher finishes.
    case finish

    /// `#`: the publisher fails.
    case failure

    /// `^`: a subscription arrives.
    case subscription

    /// `!`: the subscription is cancelled.
    case cancellation

    /// How it is drawn.
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

    /// The place of the mark in the text, in characters.
    var column: Int
  }

  /// What a line of a test says, on which depends what it may contain.
  enum Role: Equatable {

    /// The events of an input, by its number.
    case input(Int)

    /// The events of the publisher under test.
    case output

    /// The moments at which an input, by its number, is subscribed to and cancelled.
    case subscriptions(Int)
  }

  /// Something that cannot be read as a diagram.
  struct Fault: Error, Equatable {

    let message: String

    /// The place of the fault in the text, in characters.
    let column: Int
  }

  /// The picture as it was written.
  let text: String

  /// What happens, in order. In ``Role/output`` and ``Role/input(_:)`` there is no event for `^`, which is time zero.
  var events: [Event] = []

  /// Whether it has a `^`.
  var drawsSubscription = false

  /// The time of the first column: zero, or less if something is drawn to the left of `^`.
  var start = 0

  /// The time after the last column.
  var end = 0

  /// The time of `!`, if there is one, in ``Role/output``.
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
