import ArgumentParser
import Foundation
import Listings

@main
struct CheckDocumentation: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "check-documentation",
    abstract: """
      Checks that every public declaration is documented, that listings compile and print what they state, and that \
      diagrams are right.
      """
  )

  @Option(help: "The folder with the library's sources.")
  var sources = "Sources"

  @Option(
    help: "The folder of the debug build of the package Documentation, or of the root package with --without-traits."
  )
  var build: String?

  @Flag(help: "Leaves out the modules that are empty without a trait, so that the root package's build suffices.")
  var withoutTraits = false

  @Option(help: "Checks only the listings of the files whose path contains this text.")
  var only: String?

  func run() throws {
    let sources = URL(filePath: sources)
    let modules = withoutTraits ? LibraryModules.withoutTraits : .all
    let build = URL(filePath: build ?? (withoutTraits ? ".build/debug" : "Documentation/.build/debug"))
      .resolvingSymlinksInPath()
    let listings = try Listing.all(in: sources)
      .filter { listing in modules.suffice(for: listing) && only.map(listing.file.contains) ?? true }
    let undocumented: (missing: [String], checked: Int) =
      only == nil ? try undocumentedSymbols(of: modules, sources: sources, build: build) : ([], 0)
    for symbol in undocumented.missing { print("undocumented: \(symbol)") }

    let compiler = ListingCompiler(sources: sources, build: build, modules: modules)
    var errors = try compiler.errors(in: listings)
    let shown = try compiler.errorsAsShown(in: listings)
    errors += shown.flatMap(\.self)
    if errors.isEmpty { errors = try compiler.failures(in: listings) }
    for error in errors { print(error) }

    let diagrams = listings.filter(\.isDiagram)
    let printing = listings.filter { !$0.isDiagram && $0.output != nil }
    print(
      """
      documentation: \(undocumented.checked - undocumented.missing.count)/\(undocumented.checked) declarations, \
      \(listings.count) listings, of which \(shown.count(where: \.isEmpty))/\(shown.count) of articles \
      compile as shown, \(diagrams.count) diagrams and \(printing.count) with output were run, \
      \(errors.isEmpty ? "no" : "with") errors
      """
    )
    // Without declarations or diagrams the folders are wrong, which must not count as success.
    let isEmpty = only == nil && (undocumented.checked == 0 || diagrams.isEmpty)
    if isEmpty || !undocumented.missing.isEmpty || !errors.isEmpty { throw ExitCode.failure }
  }

  private func undocumentedSymbols(
    of modules: LibraryModules,
    sources: URL,
    build: URL
  ) throws -> (missing: [String], checked: Int) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "SymbolGraphs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for module in modules.names {
      try SymbolGraph.extract(module, sources: sources, build: build, to: folder)
    }
    return try SymbolGraph.undocumentedSymbols(in: folder)
  }
}
