import Foundation
import Listings

/// A tool that builds the site: the archives of all modules with pictures of the diagrams, merged into one folder.
public struct SiteBuilder: Sendable {

  /// The folder with the library's sources.
  let sources: URL

  /// The folder of the library's build.
  let build: URL

  /// The folder for everything that is made on the way.
  let scratch: URL

  private var files: FileManager { .default }

  public init(sources: URL, build: URL, scratch: URL) {
    self.sources = sources
    self.build = build
    self.scratch = scratch
  }

  /// Builds the site.
  ///
  /// - Parameters:
  ///   - folder: The folder of the site, which is replaced.
  ///   - basePath: The path below which a server will have the site; empty for the root.
  ///   - report: A closure that receives a line about each step.
  public func build(to folder: URL, basePath: String = "", report: (String) -> Void = { _ in }) throws {
    try? files.removeItem(at: scratch)
    try files.createDirectory(at: scratch, withIntermediateDirectories: true)
    let modules = try LibraryModules.all.names.map(prepare)
    let diagrams = try Diagrams(running: listings(of: modules), with: ListingCompiler(sources: sources, build: build))
    var archives: [URL] = []
    for module in modules {
      let pictures = try illustrate(module, with: diagrams)
      archives.append(try convert(module, after: archives, basePath: basePath))
      report("\(module.name): \(pictures) pictures")
    }
    try? files.removeItem(at: folder)
    try run(
      ["docc", "merge"] + archives.map(\.path)
        + ["--output-path", folder.path, "--synthesized-landing-page-name", "swift-combine"]
    )
    try NavigatorIndex.expandLinks(of: "/documentation/combine", in: folder.appending(path: "index/index.json"))
    try write(openingPage(basePath: basePath), to: "index.html", in: folder)
    // Every page asks for this file. It also turns on the search window, which the key "/" opens.
    try write(#"{"features": {"docs": {"quickNavigation": {"enable": true}}}}"#, to: "theme-settings.json", in: folder)
  }

  /// A copy of a module's catalog, and its symbol graphs.
  private struct Module {
    let name: String
    let catalog: URL
    let graphFolder: URL
    let graphs: [CommentedGraph]
    let articles: [URL]
  }

  /// Copies the catalog of a module, and extracts its symbol graphs.
  private func prepare(_ name: String) throws -> Module {
    let catalog = scratch.appending(path: "\(name).docc")
    let source = sources.appending(path: "\(name)/\(name).docc")
    guard files.fileExists(atPath: source.path) else { throw ToolError("there is no catalog \(source.path)") }
    try files.copyItem(at: source.resolvingSymlinksInPath(), to: catalog)
    let graphFolder = scratch.appending(path: "graphs/\(name)")
    try SymbolGraph.extract(name, sources: sources, build: build, to: graphFolder)
    let graphFiles = try files.contentsOfDirectory(at: graphFolder, includingPropertiesForKeys: nil)
    let articles = files.enumerator(at: catalog, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return Module(
      name: name,
      catalog: catalog,
      graphFolder: graphFolder,
      graphs: try graphFiles.sorted { $0.path < $1.path }.map(CommentedGraph.init),
      articles: (articles ?? []).filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
    )
  }

  // MARK: Pictures

  private func listings(of modules: [Module]) throws -> [(name: String, listing: Listing)] {
    try modules.flatMap { module in
      try module.graphs.flatMap(\.listings)
        + module.articles.flatMap { article in
          let name = article.deletingPathExtension().lastPathComponent.lowercased()
          return Listing.all(in: try lines(of: article).map { $0[...] }, of: article.path).map { (name, $0) }
        }
    }
  }

  /// Adds the pictures to the comments and articles of a module.
  ///
  /// - Returns: The number of pictures.
  private func illustrate(_ module: Module, with diagrams: Diagrams) throws -> Int {
    var used: [Diagrams.Picture] = []
    for var graph in module.graphs {
      graph.mapComments { diagrams.illustrate($0, used: &used) }
      try graph.write()
    }
    for article in module.articles {
      let text = diagrams.illustrate(try lines(of: article), used: &used).map(\.line).joined(separator: "\n")
      try text.write(to: article, atomically: true, encoding: .utf8)
    }
    let folder = module.catalog.appending(path: "Pictures")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let unique = Dictionary(used.map { ($0.name, $0) }) { first, _ in first }
    for picture in unique.values { try picture.write(to: folder) }
    return unique.count
  }

  private func lines(of article: URL) throws -> [String] {
    try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
  }

  // MARK: Archives

  private func convert(_ module: Module, after archives: [URL], basePath: String) throws -> URL {
    let archive = scratch.appending(path: "\(module.name).doccarchive")
    try run(
      ["docc", "convert", module.catalog.path, "--additional-symbol-graph-dir", module.graphFolder.path]
        + ["--fallback-display-name", module.name, "--fallback-bundle-identifier", module.name]
        + archives.flatMap { ["--dependency", $0.path] }
        + ["--enable-experimental-external-link-support", "--warnings-as-errors", "--output-path", archive.path]
        + (basePath.isEmpty ? [] : ["--hosting-base-path", basePath])
    )
    return archive
  }

  /// A page that leads to the catalog of `Combine`.
  private func openingPage(basePath: String) -> String {
    let target = "\(basePath.isEmpty ? "" : "/\(basePath)")/documentation/combine/"
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <title>swift-combine</title>
      <meta http-equiv="refresh" content="0; url=\(target)">
      <a href="\(target)">swift-combine</a>
      </html>

      """
  }

  private func write(_ text: String, to name: String, in folder: URL) throws {
    try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
  }

  private func run(_ arguments: [String]) throws {
    let result = try Program.run(arguments)
    let text = result.output + result.errorOutput
    guard result.status == 0 else { throw ToolError("\(arguments.prefix(3).joined(separator: " "))\n\(text)") }
  }
}
