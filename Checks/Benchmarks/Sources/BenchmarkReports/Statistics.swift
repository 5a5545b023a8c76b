import Foundation

extension Array where Element == Double {

  /// The middle element. For an even number of elements, the mean of the two in the middle.
  package var median: Double {
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The geometric mean, or `nil` without elements. It is the mean of factors.
  package var geometricMean: Double? {
    isEmpty ? nil : exp(map { log($0) }.reduce(0, +) / Double(count))
  }
}
