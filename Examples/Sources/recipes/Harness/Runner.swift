import Foundation

/// Runs recipes one after the other and tells how they went.
struct Runner {

  /// How long a recipe may block the main thread.
  private static let limit: Duration = Timeline.limit + .seconds(4)

  let server: Server

  /// Runs the recipes and prints their timelines, verdicts and the closing line.
  ///
  /// - Returns: Whether all of them did what they should.
  func run(_ recipes: [any Recipe]) -> Bool {
    var timelines: [Timeline] = []
    for recipe in recipes {
      let succeeded = timelines.count { $0.failures.isEmpty }
      let watchdog = Watchdog(limit: Self.limit) {
        print("  FAILED: expected an end within \(Self.limit), the main thread is blocked")
        print("recipes: \(succeeded)/\(recipes.count) ok")
        fflush(nil)
      }
      timelines.append(run(recipe))
      _ = consume watchdog
    }

    // Whatever a recipe left behind has had its chance to speak by now.
    Thread.sleep(forTimeInterval: 0.05)
    for (recipe, timeline) in zip(recipes, timelines) where !timeline.failures.isEmpty {
      print("recipe \(recipe.number), \(recipe.title): FAILED")
      timeline.failures.forEach { print("  \($0)") }
    }
    let succeeded = timelines.count { $0.failures.isEmpty }
    print("recipes: \(succeeded)/\(recipes.count) ok")
    return succeeded == recipes.count
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
