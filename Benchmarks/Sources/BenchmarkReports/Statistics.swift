extension Array where Element == Double {

  /// The one in the middle; of an even number the mean of the two.
  package var median: Double {
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
