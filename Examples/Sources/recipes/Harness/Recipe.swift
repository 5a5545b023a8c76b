/// A common pattern of Combine, which runs on real input and is checked.
protocol Recipe: Sendable {

  /// The number that `--only` selects it by.
  var number: Int { get }

  /// A short description of what the recipe shows.
  var title: String { get }

  /// The kind under which the closing lines count the recipe. The default is a pattern.
  var kind: RecipeKind { get }

  /// Runs the recipe on the main thread. `wait` and `pause` of `Timeline` run the main run loop.
  ///
  /// - Parameters:
  ///   - timeline: The timeline that records the events and the checks.
  ///   - server: The server that answers the requests.
  func run(_ timeline: Timeline, _ server: Server) throws

  /// Runs the part of this recipe that may stop its process, in a child process. See ``ChildProcess``.
  func runAsChild()
}

extension Recipe {
  func runAsChild() {}

  var kind: RecipeKind { .pattern }
}

/// The two kinds of recipes, with the names of the closing lines.
enum RecipeKind: String {
  case badInput = "bad input"
  case pattern = "recipes"
}
