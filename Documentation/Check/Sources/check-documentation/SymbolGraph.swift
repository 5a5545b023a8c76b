import Foundation

/// The compiler's description of a module's public declarations, as far as it is needed here.
struct SymbolGraph: Decodable {

  struct Symbol: Decodable {

    struct Kind: Decodable {
      let identifier: String
    }

    struct DocumentationComment: Decodable {}

    struct Location: Decodable {
      let uri: String
    }

    let kind: Kind
    let pathComponents: [String]
    let docComment: DocumentationComment?
    let location: Location?
  }

  let symbols: [Symbol]

  /// Returns the public declarations without a documentation comment, and the number of checked declarations.
  static func undocumentedSymbols(in folder: URL) throws -> (missing: [String], checked: Int) {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("Combine") && $0.lastPathComponent.hasSuffix(".symbols.json") }
    var missing: [String] = []
    var checked = 0
    for file in files {
      let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))
      // Declarations that the compiler synthesizes, such as `==` of an Equatable struct, have no place in the sources.
      let written = graph.symbols.filter { $0.location != nil && $0.kind.identifier != "swift.extension" }
      checked += written.count
      missing += written.filter { $0.docComment == nil }
        .map { "\($0.pathComponents.joined(separator: ".")) in \(($0.location!.uri as NSString).lastPathComponent)" }
    }
    return (missing.sorted(), checked)
  }
}
