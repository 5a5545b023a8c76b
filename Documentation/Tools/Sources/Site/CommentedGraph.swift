import Foundation
import Listings

/// A symbol graph file whose documentation comments can be read and changed. All else stays as the compiler wrote it.
struct CommentedGraph {

  private let file: URL
  private var graph: [String: Any]

  init(_ file: URL) throws {
    self.file = file
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    guard let graph = object as? [String: Any] else { throw ToolError("\(file.path) is not a symbol graph") }
    self.graph = graph
  }

  /// The listings of the comments, each with the name of its symbol.
  var listings: [(name: String, listing: Listing)] {
    symbols.flatMap { symbol in
      let name = Self.name(of: symbol)
      return Listing.all(in: Self.comment(of: symbol).map { $0[...] }, of: name).map { (name, $0) }
    }
  }

  /// Replaces the comments by those that a closure returns.
  mutating func mapComments(_ transform: ([String]) -> [(line: String, source: Int?)]) {
    graph["symbols"] = symbols.map { symbol in
      guard
        var comment = symbol["docComment"] as? [String: Any], let lines = comment["lines"] as? [[String: Any]]
      else { return symbol }
      comment["lines"] = transform(Self.comment(of: symbol)).map { line, source in
        var entry = source.map { lines[$0] } ?? [:]
        entry["text"] = line
        return entry
      }
      return symbol.merging(["docComment": comment]) { $1 }
    }
  }

  func write() throws {
    try JSONSerialization.data(withJSONObject: graph).write(to: file)
  }

  private var symbols: [[String: Any]] { graph["symbols"] as? [[String: Any]] ?? [] }

  private static func comment(of symbol: [String: Any]) -> [String] {
    let lines = (symbol["docComment"] as? [String: Any])?["lines"] as? [[String: Any]] ?? []
    return lines.map { $0["text"] as? String ?? "" }
  }

  /// The name of a symbol as a part of a file's name, such as `publisher-debounce`.
  private static func name(of symbol: [String: Any]) -> String {
    let path = symbol["pathComponents"] as? [String] ?? []
    return path.map { $0.prefix { $0 != "(" } }.joined(separator: "-").lowercased()
      .replacing(/[^a-z0-9]+/, with: "-")
  }
}
