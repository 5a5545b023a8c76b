import BenchmarkReports
import BenchmarkSupport

/// An error that makes the numbers worthless.
enum MeasurementError: Error, CustomStringConvertible {
  case wrongOutcome(String, ContestantName)
  case wrongCount(String, expected: Int, counted: Int)

  var description: String {
    switch self {
    case .wrongOutcome(let what, let name):
      "\(what): the outcome of \(name.title) is not what it must be"
    case .wrongCount(let what, let expected, let counted):
      "the allocation counter is wrong: \(expected) of \(what), \(counted) counted"
    }
  }
}
