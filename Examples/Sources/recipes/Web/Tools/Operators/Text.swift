extension StringProtocol {

  /// Returns this text with some of its parts replaced.
  ///
  /// The page *Operators* is also compiled where the library of regular expressions is missing.
  ///
  /// - Parameter replacement: A closure that looks at the rest of the text, and returns the number of characters to replace at its
  ///   beginning, and the text that takes their place; `nil` if nothing is to be replaced there.
  func rewritten(_ replacement: (SubSequence) -> (count: Int, text: String)?) -> String {
    var result = ""
    var rest = self[...]
    while let first = rest.first {
      if let (count, text) = replacement(rest) {
        result += text
        rest = rest.dropFirst(count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// Returns this text with each occurrence of a part replaced.
  func rewritten(_ part: String, as text: String) -> String {
    rewritten { $0.hasPrefix(part) ? (part.count, text) : nil }
  }
}
