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

  /// The folder with the page *Operators* and the library as WebAssembly, or `nil`.
  let playground: URL?

  private var files: FileManager { .default }

  public init(sources: URL, build: URL, scratch: URL, playground: URL? = nil) {
    self.playground = playground
    self.sources = sources
    self.build = build
    self.scratch = scratch
  }

  /// Builds the site. A report of each step says what takes its time.
  ///
  /// - Parameters:
  ///   - folder: The folder of the site, which is replaced.
  ///   - basePath: The path below which a server will have the site; empty for the root.
  ///   - report: A closure that receives a line about each step.
  public func build(to folder: URL, basePath: String = "", report: (String) -> Void = { _ in }) throws {
    try? files.removeItem(at: scratch)
    try files.createDirectory(at: scratch, withIntermediateDirectories: true)
    report("reading the symbols of \(LibraryModules.all.names.count) modules …")
    let modules = try LibraryModules.all.names.map(prepare)
    report("running the marble diagrams …")
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
    report("adding the lists, the search and the bar …")
    let index = folder.appending(path: "index/index.json")
    let choosing = try guide("ChoosingAnOperator")
    let data = folder.appending(path: "data")
    let search = try SearchIndex(navigator: index, data: data, words: guide("WordsOfOtherLibraries"))
    try NavigatorIndex.expandLinks(of: "/documentation/combine", in: index)
    try NavigatorIndex.shorten(to: search.names, in: index)
    try search.write(to: folder.appending(path: "site-search.json"))
    try removeInherited(search, in: folder)
    let frame = Frame(base: basePath.isEmpty ? "" : "/\(basePath)")
    let pages = try operatorPages(choosing, frame, diagrams)
    _ = try pages.arrange(dataIn: data)
    try copyPlayground(to: folder, pages)
    let gallery = try Gallery(data: data, search: search, guide: choosing)
    try writePages(search, DecisionTree(choosing), gallery, frame, in: folder)
    try write(openingPage(basePath: basePath), to: "index.html", in: folder)
    // Without DocC's dialog, which finds in one module only, and by whole declarations: the bar's search is the only one.
    let settings = #"{ "features": { "docs": { "quickNavigation": { "enable": false } } } }"#
    try write(settings, to: "theme-settings.json", in: folder)
    try frame.add(toPagesIn: folder)
  }

  // MARK: Pages that DocC does not have

  private func guide(_ name: String) throws -> Guide {
    try Guide(sources.appending(path: "Combine/Combine.docc/\(name).md"))
  }

  private func operatorPages(_ guide: Guide, _ frame: Frame, _ diagrams: Diagrams) throws -> OperatorPages {
    let table = sources.deletingLastPathComponent()
      .appending(path: "Examples/Sources/recipes/Web/Tools/Operators/Table")
    return try OperatorPages(
      table: table,
      guide: guide,
      base: playground == nil ? nil : frame.base,
      siteBase: frame.base,
      pictures: diagrams.byName
    )
  }

  private func copyPlayground(to folder: URL, _ pages: OperatorPages) throws {
    guard let playground else { return }
    let target = folder.appending(path: "play")
    try files.createDirectory(at: target, withIntermediateDirectories: true)
    for (file, name) in [
      ("play.html", "index.html"), ("swift.js", "swift.js"), ("operators.js", "operators.js"), ("page.css", "page.css"),
      ("play.wasm.gz", "play.wasm.gz"),
    ] {
      try files.copyItem(at: playground.appending(path: file), to: target.appending(path: name))
    }
    // The page of each operator, which the playground shows beside its picture.
    let paths = Dictionary(pages.playground.map { ($0.value, $0.key) }) { min($0, $1) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(paths).write(to: target.appending(path: "pages.json"))
  }

  /// Removes the pages of what a type inherits from another package's protocol. No page leads to them.
  private func removeInherited(_ search: SearchIndex, in folder: URL) throws {
    for page in try Archive(root: folder).pages() where page.isSynthesized && !search.contains(page.path) {
      try files.removeItem(at: folder.appending(path: "data\(page.path).json"))
      try files.removeItem(at: folder.appending(path: String(page.path.dropFirst())))
    }
  }

  private func writePages(
    _ search: SearchIndex,
    _ tree: DecisionTree,
    _ gallery: Gallery,
    _ frame: Frame,
    in folder: URL
  ) throws {
    let choosing = "\(frame.base)/documentation/combine/choosinganoperator/"
    let pages = [
      (
        "choose", "Find an operator",
        "Answer what you have and what you want. <a href=\"\(choosing)\">Choosing an operator</a> has the same as tables, "
          + "with pictures of those that look alike.",
        tree.html(base: frame.base)
      ),
      (
        "pictures", "Pictures of operators",
        "\(gallery.count) runs of operators, each drawn from the test that stands on its page.",
        gallery.html(base: frame.base)
      ),
      ("a-z", "All names from A to Z", "\(search.entries.count) pages of all modules.", search.html(base: frame.base)),
    ]
    for (name, title, summary, content) in pages {
      try files.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
      try write(frame.page(title: title, summary: summary, content), to: "\(name)/index.html", in: folder)
    }
    for file in ["site.css", "site.js"] {
      try files.copyItem(at: Frame.files.appending(path: file), to: folder.appending(path: file))
    }
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
    if name == "Combine" { try listModules(in: catalog.appending(path: "Combine.md")) }
    return Module(
      name: name,
      catalog: catalog,
      graphFolder: graphFolder,
      graphs: try graphFiles.sorted { $0.path < $1.path }.map(CommentedGraph.init),
      articles: (articles ?? []).filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
    )
  }

  /// Adds those modules to the list of the start page that are only here: `CombineNIO`, because the documentation plugin
  /// does not document it.
  private func listModules(in page: URL) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    let missing = LibraryModules.all.names.filter { $0 != "Combine" && !text.contains("- ``/\($0)``") }
    let lines = missing.map { "- ``/\($0)``\n" }.joined()
    try (text + lines).write(to: page, atomically: true, encoding: .utf8)
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
