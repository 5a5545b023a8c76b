/// A pattern that people use Combine for, run on real input and checked.
protocol Recipe: Sendable {

  /// What `--only` names it by.
  var number: Int { get }

  /// What it shows, in a few words.
  var title: String { get }

  /// Runs the recipe on the main thread; `Timeline`'s `wait` and `pause` run the main run loop meanwhile.
  ///
  /// - Parameters:
  ///   - timeline: Takes the events and the checks.
  ///   - server: Answers the requests.
  func run(_ timeline: Timeline, _ server: Server) throws

  /// What this recipe does in a process of its own, which may be stopped by it. See ``ChildProcess``.
  func runAsChild()
}

extension Recipe {
  func runAsChild() {}

  /// What the closing lines count it as.
  var kind: RecipeKind { number > 30 ? .badInput : .pattern }
}

/// The two kinds of recipes, as the closing lines name them.
enum RecipeKind: String {
  case badInput = "bad input"
  case pattern = "recipes"
}
