import ArgumentParser
import Foundation

/// The command `recipes`.
@main
struct Recipes: ParsableCommand {

  static let configuration = CommandConfiguration(
    abstract: "Runs the patterns that people use Combine for, on real input, and checks what they do."
  )

  @Flag(help: "List the recipes instead of running them.")
  var list = false

  @Option(help: ArgumentHelp("Run these recipes only.", valueName: "numbers, such as 3,7"))
  var only: RecipeNumbers?

  @Flag(help: "Show some of them live in a browser, on 127.0.0.1, until interrupted.")
  var serve = false

  @Option(help: "The port of the pages; any that is free if this one is not.")
  var port: UInt16 = 8001

  @Option(help: .hidden)
  var child: Int?

  func run() throws {
    if let child {
      try Catalog.recipe(child).runAsChild()
      return
    }
    if serve {
      try Self.serve(port: port)
    }
    let recipes = try only.map { try $0.numbers.map(Catalog.recipe) } ?? Catalog.recipes
    if list {
      recipes.forEach { print("\($0.number < 10 ? " " : "")\($0.number)  \($0.title)") }
      return
    }
    guard try Runner(server: Server.start()).run(recipes) else { throw ExitCode.failure }
  }
}

extension Recipes {
  /// Serves the pages. Their pipelines run on the main thread, like those of an app.
  private static func serve(port: UInt16) throws -> Never {
    let server = try Server.start()
    let app = WebApp(
      definitions: WebApp.Definition.all(server),
      tools: [.inspector, .operators],
      journal: server.journal
    )
    print("Open \(try Server.listen(app.routes, port: Server.isFree(port) ? port : 0))")
    fflush(nil)
    while true { RunLoop.main.run() }
  }
}

/// A comma-separated list of numbers.
struct RecipeNumbers: ExpressibleByArgument {
  let numbers: [Int]

  init?(argument: String) {
    let numbers = argument.split(separator: ",").map { Int($0.trimmingPrefix(" ")) }
    guard !numbers.isEmpty, !numbers.contains(nil) else { return nil }
    self.numbers = numbers.compactMap(\.self)
  }
}

extension Catalog {
  /// Returns the recipe with a number.
  fileprivate static func recipe(_ number: Int) throws -> any Recipe {
    guard let recipe = recipes.first(where: { $0.number == number }) else {
      throw ValidationError("There is no recipe \(number); --list shows which there are.")
    }
    return recipe
  }
}
