import Foundation

/// A runner that runs recipes one after the other and reports their results.
struct Runner {

  /// The maximum time for which a recipe may block the main thread.
  private static let recipeLimit: Duration = Timeline.limit + .seconds(4)

  /// The maximum time of all recipes together.
  private static let limit: Duration = .seconds(60)

  let server: Server

  /// Runs the recipes and prints their timelines, results and the closing lines.
  ///
  /// - Returns: Whether all recipes succeeded.
  func run(_ recipes: [any Recipe]) -> Bool {
    let end = ContinuousClock.now + Self.limit
    var timelines: [Timeline] = []
    for recipe in recipes {
      let closing = closingLines(recipes, timelines)
      let limit = min(Self.recipeLimit, ContinuousClock.now.duration(to: end))
      let watchdog = Watchdog(limit: limit) {
        print("  FAILED: expected an end within \(limit)")
        closing.forEach { print($0) }
        fflush(nil)
      }
      timelines.append(run(recipe))
      _ = consume watchdog
    }

    // This gives pending events of the recipes time to arrive.
    Thread.sleep(forTimeInterval: 0.05)
    for (recipe, timeline) in zip(recipes, timelines) where !timeline.failures.isEmpty {
      print("recipe \(recipe.number), \(recipe.title): FAILED")
      timeline.failures.forEach { print("  \($0)") }
    }
    closingLines(recipes, timelines).forEach { print($0) }
    return timelines.allSatisfy(\.failures.isEmpty)
  }

  /// Returns a line for each kind of recipe, with the number of those that succeeded.
  ///
  /// - Parameters:
  ///   - recipes: All recipes to run.
  ///   - timelines: The timelines of the recipes that have run.
  private func closingLines(_ recipes: [any Recipe], _ timelines: [Timeline]) -> [String] {
    let succeeded = zip(recipes, timelines).filter { $1.failures.isEmpty }.map { $0.0 }
    return [RecipeKind.badInput, .pattern].compactMap { kind in
      let all = recipes.count { $0.kind == kind }
      return all == 0 ? nil : "\(kind.rawValue): \(succeeded.count { $0.kind == kind })/\(all) ok"
    }
  }

  private func run(_ recipe: any Recipe) -> Timeline {
    print("\(recipe.number). \(recipe.title)")
    let timeline = Timeline()
    do {
      try recipe.run(timeline, server)
    } catch {
      timeline.fail(error)
    }
    timeline.close()
    let failures = timeline.failures
    failures.forEach { print("  FAILED: \($0)") }
    if failures.isEmpty { print("  ok") }
    print()
    return timeline
  }
}
