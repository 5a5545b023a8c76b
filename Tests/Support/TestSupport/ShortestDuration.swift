/// Measures a duration until it is below a limit, at most ten times.
///
/// For what a busy machine makes longer, and a fault of the library does each time.
///
/// - Parameters:
///   - limit: The limit, in seconds.
///   - measure: A closure that returns the duration, in seconds.
/// - Returns: The shortest duration, in seconds.
public func shortestDuration(below limit: Double, _ measure: () -> Double) -> Double {
  var shortest = Double.infinity
  for _ in 0..<10 where shortest >= limit {
    shortest = min(shortest, measure())
  }
  return shortest
}
