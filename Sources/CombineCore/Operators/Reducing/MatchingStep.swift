// The steps of those operators of the reducing family that ask a predicate about each element.

/// What an operator makes of a predicate's answers. A type without values: the operator is known where it is used.
@usableFromInline
protocol MatchingRule<Input, Output> {

  associatedtype Input
  associatedtype Output

  /// The result if no element gives another.
  static var initial: Output? { get }

  /// Whether the first result that an element gives is final.
  static var isFirstFinal: Bool { get }

  /// The result that an element gives.
  ///
  /// - Parameters:
  ///   - input: The element.
  ///   - answer: What the predicate says of it.
  /// - Returns: The new result; `nil` if the old one stands.
  static func result(of input: Input, answer: Bool) -> Output?
}

extension MatchingRule {

  @inlinable
  static var initial: Output? { nil }

  @inlinable
  static var isFirstFinal: Bool { true }

  @inlinable
  static func take(_ input: Input, answer: Bool, into reduction: some Reduction<Output>) -> ReducingProgress {
    guard let result = result(of: input, answer: answer) else { return .unfinished }
    reduction.result = result
    return isFirstFinal ? .finished : .unfinished
  }
}

extension ReducingSteps {

  /// Asks a predicate.
  @usableFromInline
  struct Matching<Rule: MatchingRule>: ReducingStep {

    @usableFromInline
    let predicate: (Rule.Input) -> Bool

    @inlinable
    init(_ rule: Rule.Type, predicate: @escaping (Rule.Input) -> Bool) {
      self.predicate = predicate
    }

    @inlinable
    var initial: Rule.Output? { Rule.initial }

    @inlinable
    func reduce(_ input: Rule.Input, into reduction: some Reduction<Rule.Output>) -> ReducingProgress {
      Rule.take(input, answer: predicate(input), into: reduction)
    }
  }

  /// Asks a predicate that may throw.
  @usableFromInline
  struct TryMatching<Rule: MatchingRule>: ReducingStep {

    @usableFromInline
    let predicate: (Rule.Input) throws -> Bool

    @inlinable
    init(_ rule: Rule.Type, predicate: @escaping (Rule.Input) throws -> Bool) {
      self.predicate = predicate
    }

    @inlinable
    var initial: Rule.Output? { Rule.initial }

    @inlinable
    func reduce(_ input: Rule.Input, into reduction: some Reduction<Rule.Output>) throws -> ReducingProgress {
      Rule.take(input, answer: try predicate(input), into: reduction)
    }
  }
}
