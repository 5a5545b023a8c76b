/// A mapping between letters and values in diagrams, in both directions.
struct MarbleLetters<Value> {

  /// The values of the letters. Without a dictionary, a letter stands for the value that it describes.
  let dictionary: [Character: Value]?

  /// Letters that have a meaning and are not assigned to another value.
  private var taken: Set<Character>

  /// The letters assigned to values without a letter.
  private(set) var assigned: [(letter: Character, value: Value)] = []

  /// - Parameters:
  ///   - dictionary: The values of the letters, or `nil`.
  ///   - used: The letters in the diagram.
  init(_ dictionary: [Character: Value]?, used: some Sequence<Character>) {
    self.dictionary = dictionary
    taken = Set(used).union(dictionary.map { Set($0.keys) } ?? [])
  }

  /// Returns whether a letter stands for a value.
  func matches(_ letter: Character, _ value: Value) -> Bool {
    guard let dictionary else { return String(describing: value) == String(letter) }
    return dictionary[letter].map { areEqual($0, value) } ?? false
  }

  /// Returns the letter for a value. If the value has none, a letter is assigned to it.
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

  /// Returns a letter with its value, or only the letter if it stands for itself.
  func description(of letter: Character) -> String {
    let value = dictionary?[letter] ?? assigned.first { $0.letter == letter }?.value
    return value.map { "\(letter) = \($0 is String ? String(reflecting: $0) : String(describing: $0))" } ?? "\(letter)"
  }
}

/// Returns whether two values are equal.
///
/// It uses `==` if the type is equatable, and identity for objects of other types. It compares the textual descriptions
/// of all other values, such as tuples.
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
  func compare<E: Equatable>(_: E.Type) -> Bool { first as! E == second as! E }
  if let type = Value.self as? any Equatable.Type { return compare(type) }
  // The dynamic type of an erased value may be equatable.
  let type = Swift.type(of: first as Any)
  guard type == Swift.type(of: second as Any) else { return false }
  if let type = type as? any Equatable.Type { return compare(type) }
  if type is AnyObject.Type { return first as AnyObject === second as AnyObject }
  return String(reflecting: first) == String(reflecting: second)
}
