@_spi(Diagrams) import CombineTesting

extension Operator {

  /// All operators, in the chapters of the guide *Choosing an operator*.
  static let groups: [Group] = [
    changing, dropping, reducing, grouping, starting, combining, timing, failing, sharing,
  ]

  /// All operators, and the publishers of pictures, by their names in links.
  static let all: [String: Operator] = Dictionary(
    uniqueKeysWithValues: (groups + [pictures]).flatMap(\.operators).map { ($0.id, $0) }
  )
}

// MARK: - Choices

extension Operator {

  typealias LetterPredicate = @Sendable (String) -> Bool

  /// Predicates of letters.
  static let letterPredicates = Choices<LetterPredicate>(
    name: "where",
    options: [
      ("before-c", #"$0 < "c""#, { $0 < "c" }),
      ("is-b", #"$0 == "b""#, { $0 == "b" }),
      ("not-b", #"$0 != "b""#, { $0 != "b" }),
      // Where the library of regular expressions is missing, a text contains characters only.
      ("vowel", #""aeiou".contains($0)"#, { $0.allSatisfy("aeiou".contains) }),
      ("any", "_ in true", { _ in true }),
    ]
  )

  typealias NumberPredicate = @Sendable (Int) -> Bool

  /// Predicates of numbers.
  static let numberPredicates = Choices<NumberPredicate>(
    name: "where",
    options: [
      ("below-4", "$0 < 4", { $0 < 4 }),
      ("even", "$0.isMultiple(of: 2)", { $0.isMultiple(of: 2) }),
      ("zero", "$0 == 0", { $0 == 0 }),
    ]
  )

  /// Changes of letters.
  static let letterTransforms = Choices<@Sendable (String) -> String>(
    name: "to",
    options: [
      ("uppercase", "$0.uppercased()", { $0.uppercased() }),
      ("lowercase", "$0.lowercased()", { $0.lowercased() }),
      ("double", "$0 + $0", { $0 + $0 }),
    ]
  )

  /// Operations on two numbers.
  static let numberOperations = Choices<@Sendable (Int, Int) -> Int>(
    name: "with",
    options: [
      ("sum", "$0 + $1", { $0 + $1 }),
      ("difference", "$0 - $1", { $0 - $1 }),
      ("maximum", "max($0, $1)", { max($0, $1) }),
    ]
  )

  /// Returns the choices between no and yes.
  static func flag(_ name: String) -> Choices<Bool> {
    Choices(name: name, options: [("no", "false", false), ("yes", "true", true)])
  }

  static let latest = flag("latest")
}
