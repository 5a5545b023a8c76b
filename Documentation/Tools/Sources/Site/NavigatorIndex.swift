import Foundation

/// The index of a site's navigator, which is also what its search field searches.
///
/// The navigator of a page shows one module. That of `Combine`, with which the site opens, shall show all modules, so that
/// a search there finds every operator.
enum NavigatorIndex {

  /// Puts the contents of all modules below the links to them in a module.
  ///
  /// - Parameters:
  ///   - module: The path of the module, such as `/documentation/combine`.
  ///   - file: The file of the index.
  static func expandLinks(of module: String, in file: URL) throws {
    guard
      var index = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
      var languages = index["interfaceLanguages"] as? [String: [[String: Any]]]
    else { return }
    for (language, roots) in languages {
      let modules = Dictionary(
        roots.flatMap(children).compactMap { node in (node["path"] as? String).map { ($0, children(of: node)) } }
      ) { first, _ in first }
      languages[language] = roots.map { root in
        mapChildren(of: root) { node in
          guard node["path"] as? String == module else { return node }
          return mapChildren(of: node) { link in
            guard let path = link["path"] as? String, let contents = modules[path] else { return link }
            return link.merging(["children": contents]) { $1 }
          }
        }
      }
    }
    index["interfaceLanguages"] = languages
    try JSONSerialization.data(withJSONObject: index, options: [.sortedKeys]).write(to: file)
  }

  /// Replaces declarations by names, such as `func debounce<S>(for: S.SchedulerTimeType.Stride, …` by
  /// `debounce(for:scheduler:options:)`.
  ///
  /// - Parameters:
  ///   - names: The names by the paths of the pages, in lower case.
  ///   - file: The file of the index.
  static func shorten(to names: [String: String], in file: URL) throws {
    guard
      var index = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
      let languages = index["interfaceLanguages"] as? [String: [[String: Any]]]
    else { return }
    func shortened(_ node: [String: Any]) -> [String: Any] {
      var node = node
      if let path = node["path"] as? String, let name = names[path.lowercased()] { node["title"] = name }
      if let children = node["children"] as? [[String: Any]] { node["children"] = children.map(shortened) }
      return node
    }
    index["interfaceLanguages"] = languages.mapValues { $0.map(shortened) }
    try JSONSerialization.data(withJSONObject: index, options: [.sortedKeys]).write(to: file)
  }

  private static func children(of node: [String: Any]) -> [[String: Any]] { node["children"] as? [[String: Any]] ?? [] }

  private static func mapChildren(
    of node: [String: Any],
    _ transform: ([String: Any]) -> [String: Any]
  ) -> [String: Any] {
    node.merging(["children": children(of: node).map(transform)]) { $1 }
  }
}
