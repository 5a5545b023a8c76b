/// The declarations in lists of symbols, which DocC has in full: with generics, a long one takes eight lines on a phone.
enum ListedDeclarations {

  /// The greatest number of characters that a declaration in a list has.
  static let limit = 60

  /// Replaces long declarations in the references of a page by the keyword and the name, such as `func zip(_:_:_:)`.
  ///
  /// - Returns: Whether there is one.
  static func shorten(in page: inout [String: Any]) -> Bool {
    guard var references = page["references"] as? [String: [String: Any]] else { return false }
    var isChanged = false
    for (identifier, reference) in references {
      guard let fragments = reference["fragments"] as? [[String: Any]], let title = reference["title"] as? String else {
        continue
      }
      let text = fragments.compactMap { $0["text"] as? String }.joined()
      guard text.count > limit else { continue }
      let keywords = fragments.prefix {
        ["keyword", "text"].contains($0["kind"] as? String) && $0["text"] as? String != "("
      }
      let name = title.split(separator: ".").last.map(String.init) ?? title
      references[identifier]?["fragments"] = Array(keywords) + [["kind": "identifier", "text": name]]
      isChanged = true
    }
    if isChanged { page["references"] = references }
    return isChanged
  }
}
