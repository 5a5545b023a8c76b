import ArgumentParser
import Foundation

@main
struct CheckDocumentation: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "check-documentation",
    abstract: "Checks that every public declaration is documented, and that the examples in comments compile."
  )

  @Option(help: "The folder with the library's sources.")
  var sources = "Sources"

  @Option(
    help:
      "The folder of the debug build of the package Documentation; `swift package dump-symbol-graph` has run before."
  )
  var build = "Documentation/.build/debug"

  func run() throws {
    let build = URL(filePath: build).resolvingSymlinksInPath()
    let symbolGraphs = build.deletingLastPathComponent().appending(path: "symbolgraph")
    let undocumented = try SymbolGraph.undocumentedSymbols(in: symbolGraphs)
    for symbol in undocumented.missing { print("undocumented: \(symbol)") }

    let examples = try Example.all(in: URL(filePath: sources))
    let errors = try ExampleCompiler(modules: build.appending(path: "Modules").path).errors(in: examples)
    for error in errors { print(error) }

    print(
      """
      documentation: \(undocumented.checked - undocumented.missing.count)/\(undocumented.checked) declarations, \
      \(examples.count) examples, \(errors.count) errors
      """
    )
    // No declarations or no examples means that the folders are wrong, which must not pass for success.
    let isEmpty = undocumented.checked == 0 || examples.isEmpty
    if isEmpty || !undocumented.missing.isEmpty || !errors.isEmpty { throw ExitCode.failure }
  }
}
