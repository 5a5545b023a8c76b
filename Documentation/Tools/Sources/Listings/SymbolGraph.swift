import Foundation

/// The compiler's description of a module's public declarations, as far as it is needed here.
public struct SymbolGraph: Decodable, Sendable {

  public struct Symbol: Decodable, Sendable {

    struct Kind: Decodable, Sendable {
      let identifier: String
    }

    struct DocumentationComment: Decodable, Sendable {}

    struct Location: Decodable, Sendable {
      let uri: String
    }

    let kind: Kind
    public let pathComponents: [String]
    let docComment: DocumentationComment?
    let location: Location?
  }

  public let symbols: [Symbol]

  /// Extracts the symbol graphs of a module. What it adds to types of other modules is in files of its own.
  ///
  /// - Parameters:
  ///   - module: The name of the module.
  ///   - sources: The folder with the library's sources.
  ///   - build: The folder of the library's build.
  ///   - folder: The folder that receives the files.
  public static func extract(_ module: String, sources: URL, build: URL, to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result = try Program.run(
      [
        "swift-symbolgraph-extract", "-module-name", module, "-target", Toolchain.triple,
        "-minimum-access-level", "public", "-emit-extension-block-symbols", "-skip-synthesized-members",
        "-output-dir", folder.path,
      ] + Toolchain.searchPaths(sources: sources, build: build)
    )
    guard result.status == 0 else { throw ToolError("\(module): \(result.errorOutput)") }
  }

  /// Returns the public declarations without a documentation comment, and the number of checked declarations.
  public static func undocumentedSymbols(in folder: URL) throws -> (missing: [String], checked: Int) {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
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
