/// The letters for values in diagrams, both ways.
struct MarbleLetters<Value> {

  /// The values of letters; without it a letter stands for the value that is described by it.
  let dictionary: [Character: Value]?

  /// Letters that no diagram should get another meaning for.
  private var taken: Set<Character>

  /// The letters that were assigned to values which have none.
  private(set) var assigned: [(letter: Character, value: Value)] = []

  /// - Parameters:
  ///   - dictionary: The values of letters, if there is a dictionary.
  ///   - used: The letters in the diagram.
  init(_ dictionary: [Character: Value]?, used: some Sequence<Character>) {
    self.dictionary = dictionary
    taken = Set(used).union(dictionary.map { Set($0.keys) } ?? [])
  }

  /// Whether a letter stands for a value.
  func matches(_ letter: Character, _ value: Value) -> Bool {
    guard let dictionary else { return String(describing: value) == String(letter) }
    return dictionary[letter].map { areEqual($0, value) } ?? false
  }

  /// The letter for a value: its own, or one that is assigned to it from now on.
  mutating func letter(for value: Value) -> Character {
    if let dictionary {
      if let letter = dictionary.keys.filter({ matches($0, value) }).min() { return letter }
    } else {
      let text = String(describing: value)
      if let letter = text.first, text.count == 1, letter.isLetter || letter.isNumber { return letter }
    }
    if let known = assigned.first(where: { areEqual($0.value, value) }) { return known.letter }
    let letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".first { !taken.contains($0) } ?? "?"
    taken.insert(letter)
    assigned.append((letter, value))
    return letter
  }

  /// A letter with its value, unless it stands for itself.
  func description(of letter: Character) -> String {
    let value = dictionary?[letter] ?? assigned.first { $0.letter == letter }?.value
    return value.map { "\(letter) = \($0 is String ? String(reflecting: $0) : String(describing: $0))" } ?? "\(letter)"
  }
}

/// Whether two values are equal as far as can be told: by `==` if they have it, by identity if they are objects
/// without, by what they say of themselves otherwise, as tuples do.
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
  func compare<E: Equatable>(_: E.Type) -> Bool { first as! E == second as! E }
  if let type = Value.self as? any Equatable.Type { return compare(type) }
  // A value whose type is hidden is one of the type inside.
  let type = Swift.type(of: first as Any)
  guard type == Swift.type(of: second as Any) else { return false }
  if let type = type as? any Equatable.Type { return compare(type) }
  if type is AnyObject.Type { return first as AnyObject === second as AnyObject }
  return String(reflecting: first) == String(reflecting: second)
}
