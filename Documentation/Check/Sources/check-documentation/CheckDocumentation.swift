import ArgumentParser
import Foundation

@main
struct CheckDocumentation: ParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "check-documentation",
    abstract: "Checks that every public declaration is documented, that examples compile, and that diagrams are right."
  )

  @Option(help: "The folder with the library's sources.")
  var sources = "Sources"

  @Option(
    help:
      "The folder of the debug build of the package Documentation; `swift package dump-symbol-graph` has run before."
  )
  var build = "Documentation/.build/debug"

  func run() throws {
    let sources = URL(filePath: sources)
    let build = URL(filePath: build).resolvingSymlinksInPath()
    let symbolGraphs = build.deletingLastPathComponent().appending(path: "symbolgraph")
    let undocumented = try SymbolGraph.undocumentedSymbols(in: symbolGraphs)
    for symbol in undocumented.missing { print("undocumented: \(symbol)") }

    let examples = try Example.all(in: sources)
    let diagrams = examples.filter(\.isDiagram)
    let compiler = ExampleCompiler(sources: sources, build: build)
    var errors = try compiler.errors(in: examples)
    if errors.isEmpty { errors = try compiler.failures(in: diagrams) }
    for error in errors { print(error) }

    print(
      """
      documentation: \(undocumented.checked - undocumented.missing.count)/\(undocumented.checked) declarations, \
      \(examples.count) examples, \(diagrams.count) of them diagrams that were run, \
      \(errors.isEmpty ? "no" : "with") errors
      """
    )
    // Without declarations or diagrams the folders are wrong, which must not count as success.
    let isEmpty = undocumented.checked == 0 || diagrams.isEmpty
    if isEmpty || !undocumented.missing.isEmpty || !errors.isEmpty { throw ExitCode.failure }
  }
}
