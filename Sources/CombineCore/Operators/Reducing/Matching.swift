// The steps of those operators of the reducing family that call a predicate with each element.

/// An operator's rule for a predicate's answers.
///
/// It is a type without values, because the operator is known wherever the rule is used.
@usableFromInline
protocol MatchingRule<Input, Output> {

  associatedtype Input
  associatedtype Output

  /// The result, if no element determines another one.
  static var initial: Output? { get }

  /// Whether the first result that an element determines is final.
  static var isFirstFinal: Bool { get }

  /// Returns the result that an element determines.
  ///
  /// - Parameters:
  ///   - input: The element.
  ///   - answer: The predicate's answer for the element.
  /// - Returns: The new result, or `nil` if the old one stands.
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

  /// A step that calls a predicate.
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

  /// A step that calls a predicate that may throw.
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
