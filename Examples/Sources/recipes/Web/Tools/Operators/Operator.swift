@_spi(Diagrams) import CombineTesting

/// An operator to play with: a row of the table of the page *Operators*.
///
/// The code is written twice, as a text that the page shows and as a closure that the server runs. The tests write the
/// texts into files, compile these, and compare both.
struct Operator: Sendable {

  /// The operator's name, as the guide *Choosing an operator* writes it.
  let name: String

  /// The name in links.
  let id: String

  /// The inputs of the first scene, in the notation of ``OperatorLine``.
  let inputs: [String]

  /// For each input: the names that its marbles may have.
  let letters: [String]

  /// Whether the values of the inputs are numbers.
  let hasNumbers: Bool

  let parameters: [Parameter]

  /// The publisher in Swift, with `{NAME}` where the value of a parameter stands.
  let code: String

  /// Runs the publisher with the diagrams of the inputs, for a number of ticks.
  let run: @Sendable (_ inputs: [String], _ ticks: Int, Settings) -> Observation

  /// Creates an operator on letters.
  ///
  /// - Parameters:
  ///   - name: The operator's name.
  ///   - id: The name in links, if it is not made of the letters and digits of the name.
  ///   - inputs: The inputs of the first scene.
  ///   - letters: The names that marbles of the first inputs may have, if not all are possible.
  ///   - parameters: What a person can set.
  ///   - code: The publisher in Swift, with `{NAME}` where the value of a parameter stands.
  ///   - publisher: A closure that builds the publisher.
  init<P: Publisher & SendableMetatype>(
    _ name: String,
    id: String? = nil,
    _ inputs: String...,
    letters: [String] = [],
    parameters: [Parameter] = [],
    code: String,
    publisher: @escaping @Sendable (MarbleContext<String>, Settings) -> P
  ) {
    self.init(name, id, inputs, letters, parameters, code, hasNumbers: false) { inputs, ticks, settings in
      Observation(MarbleScene.observing(of: String.self, inputs: inputs, for: ticks) { publisher($0, settings) })
    }
  }

  /// Creates an operator on numbers.
  init<P: Publisher & SendableMetatype>(
    _ name: String,
    id: String? = nil,
    of type: Int.Type,
    _ inputs: String...,
    parameters: [Parameter] = [],
    code: String,
    publisher: @escaping @Sendable (MarbleContext<Int>, Settings) -> P
  ) {
    self.init(name, id, inputs, [], parameters, code, hasNumbers: true) { inputs, ticks, settings in
      Observation(MarbleScene.observing(of: Int.self, inputs: inputs, for: ticks) { publisher($0, settings) })
    }
  }

  private init(
    _ name: String,
    _ id: String?,
    _ inputs: [String],
    _ letters: [String],
    _ parameters: [Parameter],
    _ code: String,
    hasNumbers: Bool,
    run: @escaping @Sendable ([String], Int, Settings) -> Observation
  ) {
    self.name = name
    self.id = id ?? name.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    self.inputs = inputs
    self.hasNumbers = hasNumbers
    let all = hasNumbers ? Self.digits : Self.alphabet
    self.letters = inputs.indices.map { letters.indices.contains($0) ? letters[$0] : all }
    self.parameters = parameters
    self.code = code
    self.run = run
  }

  static let digits = "1234567890"
  static let alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits

  /// The operators of a chapter of the guide *Choosing an operator*.
  struct Group: Sendable {

    let title: String
    let operators: [Operator]

    init(_ title: String, @Builder operators: () -> [Operator]) {
      self.title = title
      self.operators = operators()
    }
  }

  /// A list of operators, each of which is type-checked alone.
  @resultBuilder
  enum Builder {

    static func buildPartialBlock(first: Operator) -> [Operator] { [first] }

    static func buildPartialBlock(accumulated: [Operator], next: Operator) -> [Operator] { accumulated + [next] }
  }
}

// MARK: - Parameters

extension Operator {

  /// A number or a choice that a person can set.
  struct Parameter: Sendable {

    enum Kind: Sendable {

      /// A number.
      case count

      /// An interval in strides.
      case interval

      /// The number of an option.
      case choice([Option])
    }

    /// The name of an option in links, and its code.
    struct Option: Sendable {
      let name: String
      let code: String
    }

    let name: String
    let kind: Kind
    let range: ClosedRange<Int>
    let initial: Int

    static func count(_ name: String, _ initial: Int, in range: ClosedRange<Int> = 1...9) -> Self {
      Self(name: name, kind: .count, range: range, initial: initial)
    }

    static func interval(_ name: String, _ initial: Int, in range: ClosedRange<Int> = 1...50) -> Self {
      Self(name: name, kind: .interval, range: range, initial: initial)
    }

    static func choice<Value>(_ choices: Choices<Value>, _ initial: Int = 0) -> Self {
      Self(
        name: choices.name,
        kind: .choice(choices.options.map { Option(name: $0.name, code: $0.code) }),
        range: 0...choices.options.count - 1,
        initial: initial
      )
    }
  }

  /// The options of a parameter, such as some predicates.
  struct Choices<Value: Sendable>: Sendable {
    let name: String
    let options: [(name: String, code: String, value: Value)]
  }

  /// The values of an operator's parameters.
  struct Settings: Sendable {

    /// The value of each parameter: a number, or the number of an option.
    var values: [String: Int]

    /// The number of ticks in a stride.
    var scale = 1

    func count(_ name: String) -> Int { values[name]! }

    func ticks(_ name: String) -> VirtualTimeInterval { VirtualTimeInterval(scale * values[name]!) }

    subscript<Value>(choices: Choices<Value>) -> Value { choices.options[values[choices.name]!].value }
  }

  /// The settings of the first scene.
  var initialSettings: Settings {
    Settings(values: Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.initial) }))
  }

  /// The publisher in Swift, with the values of the parameters.
  func code(_ settings: Settings) -> String {
    parameters.reduce(code) { code, parameter in
      let value = settings.values[parameter.name]!
      let text =
        switch parameter.kind {
        case .count: "\(value)"
        case .interval: "\(value * settings.scale)"
        case .choice(let options): options[value].code
        }
      return code.rewritten("{\(parameter.name)}", as: text)
    }
  }
}

// MARK: - What the publisher has sent

extension Operator {

  /// A value that a publisher has sent.
  struct Sent: Hashable, Sendable {

    /// The text on its marble.
    let label: String

    /// The value in Swift.
    let code: String

    /// Whether a letter of a diagram describes the value.
    let isLetter: Bool

    init<Value>(_ value: Value) {
      let description = String(describing: value)
      isLetter = description.isLetterOfADiagram
      switch value {
      case let result as Result<String, MarbleError>:
        label = description
        code = (try? result.get()).map { ".success(\(String(reflecting: $0)))" } ?? ".failure(MarbleError())"
      case let letters as [String]:
        label = letters.joined()
        // The compiler takes another empty array in a dictionary for one of `Any`.
        code = letters.isEmpty ? "[String]()" : String(reflecting: letters)
      default:
        label = description
        code = String(reflecting: value)
      }
    }
  }

  /// What a publisher has sent in a run.
  struct Observation: Sendable {

    enum Event: Hashable, Sendable {
      case value(Sent)
      case finish
      case failure(String)
    }

    /// The events with their times in ticks.
    var events: [(time: Int, event: Event)]

    /// Why the run could not be made or had to stop, or `nil`.
    let problem: String?

    init<Output, Failure>(_ observation: MarbleObservation<Output, Failure>) {
      problem = observation.problem
      events = observation.signals.compactMap { time, signal in
        switch signal {
        case .subscription: nil
        case .input(let value): (time, .value(Sent(value)))
        case .completion(.finished): (time, .finish)
        case .completion(.failure(let error)): (time, .failure("\(error)"))
        }
      }
    }
  }
}

extension String {

  /// Whether it can stand for a value in a diagram.
  fileprivate var isLetterOfADiagram: Bool { count == 1 && allSatisfy { $0.isLetter || $0.isNumber } }
}
